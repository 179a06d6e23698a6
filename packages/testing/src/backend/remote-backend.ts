import { realClock } from '@pintle/async';
import type { Client, ClientConfig, Transport } from '@pintle/client';
import { connect } from '@pintle/client';
import type { BuiltinControllerOptions } from '@pintle/controllers';
import type { Backend, ListenOptions, User } from './backend.ts';
import { ADMIN } from './backend.ts';

interface RemoteBackendOptions {
  readonly kind: 'existing cluster' | 'binaries';
  /** Configuration of an administrator. */
  readonly config: ClientConfig;
  readonly kubeconfig: () => Promise<string>;
  readonly close?: () => Promise<void>;
}

/** A server in another process, on the machine's clock. Users are impersonated. */
export class RemoteBackend implements Backend {
  readonly kind: RemoteBackendOptions['kind'];
  readonly #options: RemoteBackendOptions;
  readonly #clients: Promise<Client>[] = [];

  constructor(options: RemoteBackendOptions) {
    this.kind = options.kind;
    this.#options = options;
  }

  connect(user: User): Transport {
    const { config } = this.#options;
    const impersonate = { user: user.username, groups: user.groups };
    const as = user === ADMIN ? config : { ...config, user: { ...config.user, impersonate } };
    // Retries what the server asks to retry, as while it loads a changed definition.
    const opening = connect(as, { clock: realClock });
    this.#clients.push(opening);
    return { send: async (request) => await (await opening).transport.send(request), isProbed: true };
  }

  async listen(_options: ListenOptions): Promise<string> {
    return this.#options.config.cluster.server;
  }

  async kubeconfig(user: User): Promise<string> {
    if (user === ADMIN) return await this.#options.kubeconfig();
    throw new Error(
      `Cannot write a kubeconfig for ${user.username}: users of this server other than the administrator have no certificates`,
    );
  }

  controllerOptions(): BuiltinControllerOptions {
    const { ca } = this.#options.config.cluster;
    return ca !== undefined && 'data' in ca ? { rootCa: Buffer.from(ca.data).toString() } : {};
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await (await client).close();
    await this.#options.close?.();
  }
}
