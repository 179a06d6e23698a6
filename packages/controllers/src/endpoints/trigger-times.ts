import type { Pod, Service } from '@pintle/kinds/core/v1';
import type { ObjectMeta } from '@pintle/machinery';

/** Annotation with the time of the event that caused the last change, from which propagation delays are measured. */
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

interface ObservedTimes {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

/** Times of the last changes of Services and their pods. */
export class TriggerTimes {
  readonly #observed = new Map<string, ObservedTimes>();

  /**
   * Returns the earliest time among the changes since the last call for this Service; on the first call, its creation.
   * `undefined` when nothing with a time has changed.
   */
  next({ metadata }: Service, pods: readonly Pod[]): string | undefined {
    const key = keyOf(metadata);
    const before = this.#observed.get(key);
    const service = metadata.creationTimestamp ?? '';
    const times = new Map(pods.map((pod) => [pod.metadata.name ?? '', readySince(pod)] as const));
    this.#observed.set(key, { service, pods: times });
    if (before === undefined) return service || undefined;
    const fresh = [...times].filter(([name, time]) => time > (before.pods.get(name) ?? '')).map(([, time]) => time);
    if (service > before.service) fresh.push(service);
    return fresh.sort()[0];
  }

  forget({ metadata }: Service): void {
    this.#observed.delete(keyOf(metadata));
  }
}

/** Returns the annotations with the time, or without the annotation. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Record<string, string> {
  const { [TRIGGER_TIME]: _, ...kept } = annotations ?? {};
  return { ...kept, ...(time !== undefined && { [TRIGGER_TIME]: time }) };
}

function readySince({ status }: Pod): string {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? '';
}

function keyOf({ namespace = '', name = '' }: ObjectMeta): string {
  return `${namespace}/${name}`;
}
