import type { ContainerRef, ContainerStreams, LogOptions, NodeConnector } from '@pintle/kube-apiserver';

/** The way to nodes that come up after the server does. Until then it leads nowhere. */
export class LateNodes implements NodeConnector {
  #way: NodeConnector | undefined;

  lead(way: NodeConnector): void {
    this.#way = way;
  }

  reaches(node: string): boolean {
    return this.#way?.reaches(node) ?? false;
  }

  async logs(container: ContainerRef, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return await this.#found().logs(container, options, signal);
  }

  async exec(container: ContainerRef, command: readonly string[], streams: ContainerStreams): Promise<number> {
    return await this.#found().exec(container, command, streams);
  }

  async attach(container: ContainerRef, streams: ContainerStreams): Promise<number> {
    return await this.#found().attach(container, streams);
  }

  #found(): NodeConnector {
    if (this.#way === undefined) throw new Error('Cannot reach the node: there are none yet');
    return this.#way;
  }
}
