import type { Pod, Service, ServicePort } from '@pintle/kinds/core/v1';
import { targetPort } from './service-pods.ts';

/** A port of a Service with its number at some pods. */
export interface ResolvedPort {
  readonly port: ServicePort;
  readonly number: number;
  /** The target port is a name, whose number may differ between pods. */
  readonly isNamed: boolean;
}

/** Resolved ports of a Service at most; pods beyond that are left out. */
const MAX_RESOLVED = 500_000;

/**
 * Ports of a Service at its pods. Pods that have the same numbers for named ports share a list, because tens of
 * thousands of ports times a thousand pods would be too much.
 */
export class ServicePorts {
  readonly #ports: readonly ServicePort[];
  readonly #named: readonly ServicePort[];
  readonly #lists = new Map<string, readonly ResolvedPort[]>();
  #resolved = 0;

  constructor({ spec }: Service) {
    this.#ports = spec?.ports ?? [];
    const named = new Map<string, ServicePort>();
    for (const port of this.#ports) if (isNamed(port)) named.set(`${port.protocol} ${port.targetPort}`, port);
    this.#named = [...named.values()];
  }

  /**
   * Returns the same list for all pods that have the same numbers. Leaves out ports that the pod does not have.
   * `undefined` when too many pods have different numbers.
   */
  at(pod: Pod): readonly ResolvedPort[] | undefined {
    const key = this.#named.map((port) => targetPort(port, pod) ?? '').join();
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    if (this.#resolved > MAX_RESOLVED) return undefined;
    const list = this.#ports.flatMap((port) => {
      const number = targetPort(port, pod);
      return number === undefined ? [] : [{ port, number, isNamed: isNamed(port) }];
    });
    this.#lists.set(key, list);
    this.#resolved += list.length;
    return list;
  }
}

function isNamed({ targetPort: target }: ServicePort): boolean {
  return typeof target === 'string' && target !== '';
}
