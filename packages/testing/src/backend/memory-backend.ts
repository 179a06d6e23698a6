import type { ApiRequest, ApiResponse, Authenticator, WebhookInterceptor } from '@pintle/apiserver';
import { CertificateAuthenticator, HttpsListener, inProcess } from '@pintle/apiserver';
import { alterRequest } from '@pintle/apiserver/request';
import type { Clock, SeededRandom } from '@pintle/async';
import { realClock } from '@pintle/async';
import type { Transport } from '@pintle/client';
import type { BuiltinControllerOptions } from '@pintle/controllers';
import { KubeApiServer } from '@pintle/kube-apiserver';
import type { Store } from '@pintle/store';
import { MemoryDisk, openMemoryStore } from '@pintle/store';
import type { Backend, ListenOptions, User } from './backend.ts';
import type { Certificates } from './certificates.ts';
import { kubeconfigOf } from './kubeconfig.ts';

interface MemoryBackendOptions {
  readonly clock: Clock;
  readonly random: SeededRandom;
  /** Disk with the initial objects. The backend takes it over. */
  readonly disk?: MemoryDisk;
  /** True when the disk has all objects that a server creates. */
  readonly isComplete?: boolean;
  /** Intercepts requests that come through the port. */
  readonly fromOutside: (request: ApiRequest, handle: (query: string) => Promise<ApiResponse>) => Promise<ApiResponse>;
  readonly interceptWebhooks: WebhookInterceptor;
  readonly onError: (error: unknown, where: string) => void;
}

/** A Pintle server in this process on a store in memory, without a port until `listen`. */
export class MemoryBackend implements Backend {
  readonly kind = 'memory';
  readonly #options: MemoryBackendOptions;
  readonly #server: KubeApiServer;
  readonly #store: Store;
  readonly #disk: MemoryDisk;
  readonly #authenticator: DeferredAuthenticator;
  #certificates: Promise<Certificates> | undefined;
  #listening: Promise<{ readonly listener: HttpsListener; readonly certificates: Certificates }> | undefined;

  private constructor(
    options: MemoryBackendOptions,
    {
      server,
      store,
      disk,
      authenticator,
    }: { server: KubeApiServer; store: Store; disk: MemoryDisk; authenticator: DeferredAuthenticator },
  ) {
    this.#options = options;
    this.#server = server;
    this.#store = store;
    this.#disk = disk;
    this.#authenticator = authenticator;
  }

  static async open(options: MemoryBackendOptions): Promise<MemoryBackend> {
    const { clock, random, disk = new MemoryDisk(), interceptWebhooks, onError } = options;
    const store = await openMemoryStore({ clock, disk });
    const authenticator = new DeferredAuthenticator();
    const server = await KubeApiServer.open({
      store,
      clock,
      random,
      auditIds: random.fork('audit'),
      authenticator,
      bootstrap: { isComplete: options.isComplete === true },
      interceptWebhooks,
      onError: (error, { path }) => onError(error, path),
    });
    return new MemoryBackend(options, { server, store, disk, authenticator });
  }

  connect(user: User): Transport {
    return { send: inProcess(this.#server, user), isProbed: true };
  }

  async listen(options: ListenOptions): Promise<string> {
    this.#listening ??= this.#listen(options);
    return `https://127.0.0.1:${(await this.#listening).listener.port}`;
  }

  async kubeconfig(user: User): Promise<string> {
    const server = await this.listen({});
    const { certificates } = await this.#listening!;
    const authority = certificates.authority.certificate;
    return kubeconfigOf({ server, authority, user: user.username, ...(await certificates.client(user)) });
  }

  controllerOptions(): BuiltinControllerOptions {
    return {
      rootCa: 'the root certificate',
      signToken: (token) => this.#server.signSecretToken(token),
      certificates: {
        readRequest: async (pem) => {
          const { readForSigning } = await import('@pintle/pki/requests');
          const authority = async () => (await this.#openCertificates()).authority;
          return await readForSigning(pem, { authority, clock: this.#options.clock });
        },
      },
    };
  }

  copy(): MemoryDisk {
    return this.#disk.copy();
  }

  async close(): Promise<void> {
    this.#server.beginShutdown();
    const listening = await this.#listening?.catch(() => undefined);
    await listening?.listener.close({ graceMs: 1_000 });
    await this.#server.close();
    await this.#store.close();
  }

  async #listen({ port = 0 }: ListenOptions) {
    const { fromOutside } = this.#options;
    const certificates = await this.#openCertificates();
    const authority = certificates.authority.certificate;
    const listener = await HttpsListener.listen({
      handle: (request) =>
        fromOutside(request, (query) =>
          this.#server.handle(query === request.query ? request : alterRequest(request, { query })),
        ),
      port,
      clientCa: authority,
      ...(await certificates.server()),
    });
    return { listener, certificates };
  }

  #openCertificates(): Promise<Certificates> {
    this.#certificates ??= this.#createCertificates();
    return this.#certificates;
  }

  /** Loads the library for certificates late, because few tests need it. */
  async #createCertificates(): Promise<Certificates> {
    const { Certificates } = await import('./certificates.ts');
    const { clock } = this.#options;
    const certificates = await Certificates.create(Math.min(clock.now(), realClock.now()));
    this.#authenticator.certificates = new CertificateAuthenticator({
      authorities: certificates.authority.certificate,
      clock,
    });
    return certificates;
  }
}

/** Authenticates no one until there are certificates. */
class DeferredAuthenticator implements Authenticator {
  certificates: Authenticator | undefined;

  authenticate(request: ApiRequest): ReturnType<Authenticator['authenticate']> {
    return this.certificates?.authenticate(request);
  }
}
