import type { Clock } from '@pintle/async';
import type { ClientConfig, Transport, TransportEndpoint, TransportRequest, TransportResponse } from '@pintle/client';
import { connect, loadConfig } from '@pintle/client';

/** The way to the cluster that kubectl would talk to, looked for when it is first needed. */
export class LateTransport implements Transport {
  readonly #clock: Clock;
  #opening: Promise<{ readonly transport: Transport; readonly config: ClientConfig }> | undefined;
  #transport: Transport | undefined;
  #host = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** As the way itself has it, which knows once something was sent. */
  get isProbed(): boolean {
    return this.#transport?.isProbed === true;
  }

  /** As the way itself has it; absent until something was sent. */
  get endpoint(): TransportEndpoint | undefined {
    return this.#transport?.endpoint;
  }

  /** Empty until it is known. */
  get host(): string {
    return this.#host;
  }

  /** What it talks to. Rejects with a `ClientError` that says what was looked for. */
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
