import type { Pod, Service } from '@pintle/kinds/core/v1';
import type { ObjectMeta } from '@pintle/machinery';

/** Tells on endpoints what led to their last change, and when: delays are measured against it. */
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

interface Seen {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

/** When what a service's endpoints follow from last changed. */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /**
   * The earliest of what happened since the service was last asked about; when it is asked about for the first time, its
   * creation. `undefined`: nothing happened that has a time.
   */
  next({ metadata }: Service, pods: readonly Pod[]): string | undefined {
    const key = keyOf(metadata);
    const before = this.#seen.get(key);
    const service = metadata.creationTimestamp ?? '';
    const times = new Map(pods.map((pod) => [pod.metadata.name ?? '', readySince(pod)] as const));
    this.#seen.set(key, { service, pods: times });
    if (before === undefined) return service || undefined;
    const fresh = [...times].filter(([name, time]) => time > (before.pods.get(name) ?? '')).map(([, time]) => time);
    if (service > before.service) fresh.push(service);
    return fresh.sort()[0];
  }

  forget({ metadata }: Service): void {
    this.#seen.delete(keyOf(metadata));
  }
}

/** The annotations with the time, or without one. */
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
