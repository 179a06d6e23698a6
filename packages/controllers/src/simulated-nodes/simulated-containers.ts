import { Pod } from '@pintle/kinds/core/v1';
import { badRequestError } from '@pintle/machinery/errors';
import type { Manager } from '@pintle/operator';

interface ContainerRef {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

const LOG = 'pintle.dev/log';

/** Logs of simulated containers, from an annotation of their pod. Commands cannot be run. */
export class SimulatedContainers {
  readonly #manager: Manager;
  readonly #nodes: ReadonlySet<string>;

  constructor(manager: Manager, nodes: readonly string[]) {
    this.#manager = manager;
    this.#nodes = new Set(nodes);
  }

  reaches(node: string): boolean {
    return this.#nodes.has(node);
  }

  async logs({ namespace, pod: name, container }: ContainerRef): Promise<AsyncIterable<Uint8Array>> {
    const pod = await this.#manager.client.find(Pod, { namespace, name });
    const { state } = pod?.status?.containerStatuses?.find((each) => each.name === container) ?? {};
    if (state?.running || state?.terminated) return textOf(pod?.metadata.annotations?.[LOG] ?? '');
    const reason = state?.waiting?.reason ?? 'ContainerCreating';
    throw badRequestError(`container "${container}" in pod "${name}" is waiting to start: ${reason}`);
  }

  async exec(): Promise<number> {
    throw badRequestError('Cannot run command: the pod is simulated');
  }

  async attach(): Promise<number> {
    throw badRequestError('Cannot attach: the pod is simulated');
  }
}

async function* textOf(text: string): AsyncGenerator<Uint8Array, void> {
  if (text !== '') yield Buffer.from(text.endsWith('\n') ? text : `${text}\n`);
}
