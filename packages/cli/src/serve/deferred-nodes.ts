import type { ContainerRef, ContainerStreams, LogOptions, NodeConnector } from '@pintle/kube-apiserver';

/** Connects to nodes that start after the server. Until `connect` is called, it reaches none. */
export class DeferredNodes implements NodeConnector {
  #nodes: NodeConnector | undefined;

  connect(nodes: NodeConnector): void {
    this.#nodes = nodes;
  }

  reaches(node: string): boolean {
    return this.#nodes?.reaches(node) ?? false;
  }

  async logs(container: ContainerRef, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return await this.#connected().logs(container, options, signal);
  }

  async exec(container: ContainerRef, command: readonly string[], streams: ContainerStreams): Promise<number> {
    return await this.#connected().exec(container, command, streams);
  }

  async attach(container: ContainerRef, streams: ContainerStreams): Promise<number> {
    return await this.#connected().attach(container, streams);
  }

  #connected(): NodeConnector {
    if (this.#nodes === undefined) throw new Error('Cannot reach the node: no node has started yet');
    return this.#nodes;
  }
}
