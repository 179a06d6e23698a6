import { EventRecorder } from '@pintle/client';
import type { Manager } from '@pintle/operator';

/** Tells people what a controller did to an object. Never fails: what cannot be told is left untold. */
export type RecordEvent = EventRecorder['record'];

export function eventRecorder({ client, clock, random }: Manager, component: string): RecordEvent {
  const recorder = new EventRecorder({ client: client.live, clock, random, component });
  return (type, object, occurrence) => recorder.record(type, object, occurrence);
}
