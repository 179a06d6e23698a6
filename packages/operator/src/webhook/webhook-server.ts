import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Backoff, deferred, onceAborted, type Random, systemRandom } from '@pintle/async';
import { type Client, ClientError, type ProgramSettings } from '@pintle/client';
import { Secret } from '@pintle/kinds/core/v1';
import { ignoring, StatusError } from '@pintle/machinery/errors';
import { encodeJson, isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { errorFields } from '../controller/error-fields.ts';
import { splitTarget } from '../health/http-endpoints.ts';
import { hostsOf, type WebhookAddress } from './address.ts';
import type { CertificateSource, ServingCertificate } from './certificate-source.ts';
import { type CertificateFiles, FileCertificate } from './file-certificate.ts';
import { ManagedCertificate, type ManagedCertificateOptions } from './managed-certificate.ts';
import { checkReach } from './reach.ts';
import { forgetWebhooks, type Registered, registerForNow, registerWebhooks } from './register-webhooks.ts';
import { TemporaryCertificate } from './temporary-certificate.ts';
import { Webhooks, type WebhooksOptions } from './webhooks.ts';

export interface WebhookServerOptions {
  /** 0: any that is free. Default: 9443. */
  readonly port?: number;
  /** Default: all addresses of this machine. */
  readonly host?: string;
  /** The Service in front of the operator's pods. */
  readonly service?: WebhookAddress['service'];
  /**
   * Without a Service, where the API server finds this one. Default: this port of the same machine, while this process
   * runs, where the API server is a Pintle on it; any other must be told.
   */
  readonly url?: string;
  /** Certificates in files, as cert-manager writes them. Default: an authority of the operator's own. */
  readonly certificates?: CertificateFiles | Pick<ManagedCertificateOptions, 'certificateDays' | 'authorityDays'>;
  /** Where the operator's own authority is kept. Default: `<name>-webhook-tls`, in the Service's namespace. */
  readonly secret?: { readonly namespace?: string; readonly name?: string };
  /** False: somebody else tells the API server about the webhooks. Default: true. */
  readonly isRegistering?: boolean;
  /**
   * A way to the webhooks without a socket: told the handlers, it says at which URL an API server in this process
   * reaches them. For test environments.
   */
  readonly door?: (webhooks: Webhooks) => string;
}

export interface WebhookServerDependencies extends WebhooksOptions {
  readonly client: Client;
  /** For what is only done because of how this process was started, and no role needs to allow. Default: `client`. */
  readonly unseen?: Client;
  readonly random?: Random;
}

const DEFAULT_PORT = 9443;
const MAX_BODY_BYTES = 7 * 1024 * 1024;
const RETRY_MS = 5_000;
/** How long the API server may take to forget the webhooks of a process that ends. */
const FORGET_MS = 5_000;

/** Webhooks, served over TLS: by every replica, whoever leads. */
export class WebhookServer extends Webhooks {
  readonly needsLease = false;
  readonly #options: WebhookServerOptions;
  readonly #client: Client;
  readonly #unseen: Client;
  readonly #random: Random;
  readonly #started = deferred();
  readonly #stopping = new AbortController();
  #port: number | undefined;
  #doorUrl: string | undefined;
  #isReady = false;
  #settings: ProgramSettings['webhooks'];

  constructor(dependencies: WebhookServerDependencies, options: WebhookServerOptions = {}) {
    super(dependencies);
    this.#client = dependencies.client;
    this.#unseen = dependencies.unseen ?? dependencies.client;
    this.#random = dependencies.random ?? systemRandom;
    this.#options = options;
    this.#started.promise.catch(() => undefined);
    const { certificates = {} } = options;
    if (!('directory' in certificates)) {
      const { namespace, name } = this.#secret;
      dependencies.declare?.(Secret, ['create'], { namespace });
      dependencies.declare?.(Secret, ['get', 'update'], { namespace, names: [name] });
    }
  }

  /** Resolves once the API server has been told where to ask. Rejects when that, or listening, is not possible. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Where it listens, once it does. */
  get port(): number | undefined {
    return this.#port;
  }

  /** How the API server reaches this one. */
  get address(): WebhookAddress {
    const { service, url } = this.#options;
    if (this.#doorUrl !== undefined) return { url: this.#doorUrl };
    if (this.#isForNow) return { url: this.#urlForNow };
    return service ? { service } : { url: url! };
  }

  /**
   * Settings of the process take precedence over the code's. Rejects with an
   * `OperatorError` when the API server would not find them: before anything is changed there.
   */
  async prepare(settings: ProgramSettings['webhooks'], { signal }: { readonly signal: AbortSignal }): Promise<void> {
    this.#settings = settings;
    await this.#check(signal).catch(ignoring(isPassing));
  }

  /** Nobody is asked at an address that will be another's, or nobody's, once this process has ended. */
  get #isForNow(): boolean {
    const { service, url } = this.#options;
    return typeof this.#settings === 'object' || (service === undefined && url === undefined);
  }

  get #urlForNow(): string {
    if (typeof this.#settings === 'object') return this.#settings.url;
    return `https://localhost:${this.#port ?? this.#options.port ?? DEFAULT_PORT}`;
  }

  /** The API server is on this machine, and belongs to whoever starts one such process after the other. */
  get #isLocal(): boolean {
    return this.#settings === 'local' || this.#certificateFile !== undefined;
  }

  get #certificateFile(): string | undefined {
    return typeof this.#settings === 'object' ? this.#settings.certificateFile : undefined;
  }

  get #isRegistering(): boolean {
    return this.#options.isRegistering !== false && !this.isEmpty && this.#settings !== 'none';
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { url } = this.address;
    if (!this.#isRegistering || this.#options.door !== undefined || url === undefined) return;
    if (this.#isLocal && this.#isForNow) return;
    const isSaid = !this.#isForNow || typeof this.#settings === 'object';
    await checkReach(this.#unseen, { url, isSaid, signal });
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    try {
      if (this.isEmpty || this.#settings === 'none') return await this.#rest(signal);
      await (this.#options.door === undefined ? this.#serve(signal) : this.#openDoor(this.#options.door, signal));
    } catch (error) {
      this.#started.reject(error);
      if (!signal.aborted) throw error;
    }
  }

  /** Whoever wants no webhooks gets back those that a process before this one has replaced and not given back. */
  async #rest(signal: AbortSignal): Promise<void> {
    if (!this.isEmpty) {
      await this.#persistently(() => forgetWebhooks(this.#unseen, this, { signal }), signal);
      this.log?.info('Left out webhooks', { webhooks: this.name });
    }
    this.#start();
    await onceAborted(signal);
  }

  async #serve(signal: AbortSignal): Promise<void> {
    await this.#persistently(() => this.#check(signal), signal);
    const { createServer } = await import('node:https');
    const source = this.#source();
    const certificate = await this.#persistently(() => this.#load(source, signal), signal);
    // Whoever connects is shown the certificate from the first moment.
    const server = createServer(
      { minVersion: 'TLSv1.2', ...contextOf(certificate) },
      (request, response) => void this.#answer(request, response),
    );
    const { host, port = DEFAULT_PORT } = this.#options;
    this.#port = await listen(server, port, host);
    try {
      const isComplete = await this.#persistently(() => this.#tell(certificate.authorities, signal), signal);
      this.#start();
      await this.#follow(server, source, certificate, isComplete, signal);
    } finally {
      await this.#forget();
      await this.#close(server);
    }
  }

  /** Restores the registration from before this process; when that fails, the next start does it. */
  async #forget(): Promise<void> {
    if (!this.#isForNow || !this.#isRegistering || this.#isLocal) return;
    const timeout = new AbortController();
    using _timer = this.clock.setTimer(FORGET_MS, () => timeout.abort(new Error(`${FORGET_MS} ms have passed`)));
    try {
      await forgetWebhooks(this.#unseen, this, { url: this.#urlForNow, signal: timeout.signal });
    } catch (error) {
      this.log?.warn('Could not take back the registration of webhooks', {
        webhooks: this.name,
        ...errorFields(error),
      });
    }
  }

  async #openDoor(door: NonNullable<WebhookServerOptions['door']>, signal: AbortSignal): Promise<void> {
    this.#doorUrl = door(this);
    let isComplete = await this.#persistently(() => this.#tell(undefined, signal), signal);
    this.#start();
    while (!isComplete) {
      await this.clock.sleep(RETRY_MS, { signal });
      isComplete = await this.#persistently(() => this.#tell(undefined, signal), signal);
    }
    await onceAborted(signal);
  }

  #start(): void {
    this.#isReady = true;
    this.#started.resolve();
  }

  get #secret(): { readonly namespace: string; readonly name: string } {
    const { secret, service } = this.#options;
    const namespace = secret?.namespace ?? service?.namespace ?? 'default';
    return { namespace, name: secret?.name ?? `${this.name}-webhook-tls` };
  }

  #source(): CertificateSource {
    const { certificates = {} } = this.#options;
    if ('directory' in certificates) return new FileCertificate(certificates);
    const file = this.#certificateFile;
    if (this.#isForNow)
      return new TemporaryCertificate({ clock: this.clock, hosts: hostsOf(this.address), ...(file && { file }) });
    return new ManagedCertificate({
      ...certificates,
      client: this.#client,
      clock: this.clock,
      hosts: hostsOf(this.address),
      secret: this.#secret,
    });
  }

  #load(source: CertificateSource, signal: AbortSignal): Promise<ServingCertificate> {
    return source.load({
      signal,
      publish: async (authorities) => {
        await this.#tell(authorities, signal);
      },
    });
  }

  /** Whether everybody who must know was there to be told. */
  async #tell(authorities: string | undefined, signal: AbortSignal): Promise<boolean> {
    if (!this.#isRegistering) return true;
    const address = { ...this.address, ...(authorities !== undefined && { authorities }) };
    const { missing } = await this.#register(address, signal);
    if (missing.length > 0) this.log?.warn('Waiting for definitions to convert', { definitions: missing });
    return missing.length === 0;
  }

  async #register(address: WebhookAddress, signal: AbortSignal): Promise<Registered> {
    if (this.#doorUrl !== undefined) return await registerWebhooks(this.#client, this, address, { signal });
    if (this.#isForNow)
      return await registerForNow(this.#unseen, this, { ...address, url: this.#urlForNow }, { signal });
    await forgetWebhooks(this.#client, this, { signal, isKept: true });
    return await registerWebhooks(this.#client, this, address, { signal });
  }

  /** Looks for other certificates, and for definitions that were missing, until it is told to stop. */
  async #follow(
    server: Server,
    source: CertificateSource,
    first: ServingCertificate,
    wasComplete: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    let known = first;
    let isComplete = wasComplete;
    let isFine = true;
    while (!signal.aborted) {
      const waitMs = isComplete && isFine ? source.checkEveryMs : Math.min(RETRY_MS, source.checkEveryMs);
      await this.clock.sleep(waitMs, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const next = await this.#load(source, signal);
        if (next.certificate !== known.certificate) server.setSecureContext(contextOf(next));
        if (!isComplete || next.authorities !== known.authorities)
          isComplete = await this.#tell(next.authorities, signal);
        if (next.certificate !== known.certificate) this.log?.info('Took another certificate', { webhooks: this.name });
        known = next;
        isFine = true;
      } catch (error) {
        isFine = false;
        if (!signal.aborted) this.log?.warn('Could not renew certificates', errorFields(error));
      }
    }
  }

  /** An API server that cannot be reached yet is waited for; one that refuses is not. */
  async #persistently<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const backoff = new Backoff({ initialMs: 500, maxMs: 15_000, jitter: 0.2, random: this.#random });
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        signal.throwIfAborted();
        if (!isPassing(error)) throw error;
        this.log?.warn('Could not prepare webhooks', errorFields(error));
      }
      await this.clock.sleep(backoff.next(), { signal });
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await this.#ask(request).catch(() => ({ status: 500, body: 'Could not answer\n' }));
    response.writeHead(status, {
      'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(this.#stopping.signal.aborted && { connection: 'close' }),
    });
    response.end(body);
  }

  async #ask(request: IncomingMessage): Promise<{ readonly status: number; readonly body: string | Uint8Array }> {
    const { method, url = '/', headers } = request;
    if (method !== 'POST') return { status: 405, body: 'Only POST is answered\n' };
    if (!/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? ''))
      return { status: 415, body: 'Only application/json is read\n' };
    const bytes = await readBody(request);
    if (bytes === undefined) return { status: 413, body: `At most ${MAX_BODY_BYTES} bytes are read\n` };
    const { path } = splitTarget(url);
    if (!this.answers(path)) return { status: 404, body: 'There is no such webhook\n' };
    const review = readJson(bytes);
    const { signal } = this.#stopping;
    const answer = isJsonObject(review) ? await this.handle(path, review, { signal }) : undefined;
    if (answer === undefined) return { status: 400, body: 'The body is no review\n' };
    return { status: 200, body: encodeJson(answer) };
  }

  /** Answers what it has been asked. */
  #close(server: Server): Promise<void> {
    this.#stopping.abort();
    return new Promise((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
    });
  }
}

function listen(server: Server, port: number, host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host !== undefined && { host }) }, () => resolve((server.address() as AddressInfo).port));
  });
}

function contextOf({ certificate, privateKey }: ServingCertificate): { readonly cert: string; readonly key: string } {
  return { cert: certificate, key: privateKey };
}

async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    else if (length > 2 * MAX_BODY_BYTES) return undefined;
  }
  return length > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks);
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes, { ...trustedLimits, maxBytes: MAX_BODY_BYTES });
  } catch {
    return undefined;
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof StatusError) return error.code >= 500 || error.code === 429;
  return error instanceof ClientError && ['Unreachable', 'TimedOut', 'Unreadable'].includes(error.failure.code);
}
