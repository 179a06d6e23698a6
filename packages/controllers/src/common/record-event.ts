import { Event } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { formatTime } from '@pintle/machinery/time';
import type { Manager } from '@pintle/operator';

/** Tells people what a controller did to an object. Never fails: what cannot be told is left untold. */
export type RecordEvent = (
  type: ResourceType,
  object: KubernetesObject,
  event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string },
) => void;

/** Similar events, of the same object and reason, counted rather than repeated. */
const MAX_REMEMBERED = 4_096;
const MAX_MESSAGE = 1_024;

export function eventRecorder({ client, clock }: Manager, component: string): RecordEvent {
  const known = new Map<string, { readonly name: string; readonly namespace: string; count: number }>();
  let previousNs = 0n;
  return (kind, { metadata }, { type, reason, message }) => {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
    const where = namespace || 'default';
    const text = message.slice(0, MAX_MESSAGE);
    const key = JSON.stringify([uid, type, reason, text]);
    const time = formatTime(clock.now());
    const before = known.get(key);
    if (before !== undefined) {
      before.count++;
      const body = { count: before.count, lastTimestamp: time };
      void client.live.patch(Event, before, { type: 'merge', body }).catch(() => known.delete(key));
      return;
    }
    const nowNs = BigInt(Math.round(clock.now())) * 1_000_000n;
    previousNs = nowNs > previousNs ? nowNs : previousNs + 1n;
    const eventName = `${name}.${previousNs.toString(16)}`;
    known.set(key, { name: eventName, namespace: where, count: 1 });
    if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value!);
    const involvedObject = {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      name,
      uid,
      resourceVersion,
      ...(namespace && { namespace }),
    };
    void client.live
      .create(Event, {
        metadata: { namespace: where, name: eventName },
        involvedObject,
        reason,
        message: text,
        type,
        source: { component },
        reportingComponent: component,
        reportingInstance: '',
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
      })
      .catch(() => known.delete(key));
  };
}
