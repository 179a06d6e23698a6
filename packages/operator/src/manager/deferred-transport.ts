import type { Clock } from '@pintle/async';
import type { ClientConfig, Transport, TransportEndpoint, TransportRequest, TransportResponse } from '@pintle/client';
import { connect, loadConfig } from '@pintle/client';

/** Transport to the cluster that kubectl would use. Loads the configuration on the first request. */
export class DeferredTransport implements Transport {
  readonly #clock: Clock;
  #opening: Promise<{ readonly transport: Transport; readonly config: ClientConfig }> | undefined;
  #transport: Transport | undefined;
  #host = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** False until the first request. */
  get isProbed(): boolean {
    return this.#transport?.isProbed === true;
  }

  /** `undefined` until the first request. */
  get endpoint(): TransportEndpoint | undefined {
    return this.#transport?.endpoint;
  }

  /** Host of the server; empty until the first request. */
  get host(): string {
    return this.#host;
  }

  /** Resolves with the configuration. Rejects with a `ClientError` that lists the files it tried. */
  async open(): Promise<ClientConfig> {
    return (await this.#open()).config;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    return await (await this.#open()).transport.send(request);
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.transport.close?.();
  }

  async #open(): Promise<{ readonly transport: Transport; readonly config: ClientConfig }> {
    this.#opening ??= this.#connect();
    return await this.#opening;
  }

  async #connect(): Promise<{ readonly transport: Transport; readonly config: ClientConfig }> {
    const config = await loadConfig();
    const { transport } = await connect(config, { clock: this.#clock });
    this.#host = new URL(config.cluster.server).host;
    this.#transport = transport;
    return { transport, config };
  }
}
