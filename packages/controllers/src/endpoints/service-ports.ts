import type { Pod, Service, ServicePort } from '@pintle/kinds/core/v1';
import { targetPort } from './service-pods.ts';

/** A port of a service with its number at some pods. */
export interface ResolvedPort {
  readonly port: ServicePort;
  readonly number: number;
  /** Pods may call it by a name, and have another number for it each. */
  readonly isNamed: boolean;
}

/** Of a service whose pods have other numbers each, so many ports are told apart; pods beyond that stand behind nothing. */
const MAX_RESOLVED = 500_000;

/**
 * The ports of a service at its pods. Pods that have the same numbers for what the service calls by name share a list:
 * neither tens of thousands of ports nor a thousand pods are much, but each port of each pod would be.
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
   * The same list for all pods that have the same numbers. A port that a pod does not have is left out. `undefined`: too
   * many other pods have numbers of their own.
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
