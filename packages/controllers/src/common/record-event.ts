import { EventRecorder } from '@pintle/client';
import type { Manager } from '@pintle/operator';

/** Records an event about an object. Never fails: an event that cannot be written is dropped. */
export type RecordEvent = EventRecorder['record'];

export function eventRecorder({ client, clock, random }: Manager, component: string): RecordEvent {
  const recorder = new EventRecorder({ client: client.live, clock, random, component });
  return (type, object, occurrence) => recorder.record(type, object, occurrence);
}
