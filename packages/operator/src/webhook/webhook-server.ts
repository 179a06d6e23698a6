import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Backoff, deferred, onceAborted, type Random, systemRandom } from '@pintle/async';
import { type Client, ClientError, type ProgramSettings } from '@pintle/client';
import { Secret } from '@pintle/kinds/core/v1';
import { ignoring, StatusError } from '@pintle/machinery/errors';
import { encodeJson, isJsonObject, parseJson, trustedLimits } from '@pintle/machinery/json';
import { errorFields } from '../controller/error-fields.ts';
import { listenError } from '../errors.ts';
import { splitTarget } from '../health/http-endpoints.ts';
import { hostsOf, type WebhookAddress } from './address.ts';
import type { CertificateSource, ServingCertificate } from './certificate-source.ts';
import { type CertificateFiles, FileCertificate } from './file-certificate.ts';
import { ManagedCertificate, type ManagedCertificateOptions } from './managed-certificate.ts';
import { checkReach } from './reach.ts';
import { type Registered, registerTemporarily, registerWebhooks, restoreRegistrations } from './register-webhooks.ts';
import { TemporaryCertificate } from './temporary-certificate.ts';
import { Webhooks, type WebhooksOptions } from './webhooks.ts';

export interface WebhookServerOptions {
  /** 0 chooses a free port. Default: 9443. */
  readonly port?: number;
  /** Default: all addresses of this machine. */
  readonly host?: string;
  /** Service of the operator's pods. */
  readonly service?: WebhookAddress['service'];
  /**
   * URL of the webhooks, without a Service. Default: this port of the local machine, while this process runs, when the API
   * server is a Pintle server on it; required for other servers.
   */
  readonly url?: string;
  /** Certificate files, as cert-manager writes them, or the lifetimes of managed certificates. Default: managed certificates. */
  readonly certificates?: CertificateFiles | Pick<ManagedCertificateOptions, 'certificateDays' | 'authorityDays'>;
  /** Secret of the managed certificates. Default: `<name>-webhook-tls`, in the namespace of the Service. */
  readonly secret?: { readonly namespace?: string; readonly name?: string };
  /** False leaves the registration to other tools. Default: true. */
  readonly isRegistering?: boolean;
  /**
   * Connects the webhooks to an API server in this process, without a socket, and returns their URL. For test
   * environments.
   */
  readonly connectInProcess?: (webhooks: Webhooks) => string;
}

export interface WebhookServerDependencies extends WebhooksOptions {
  readonly client: Client;
  /** Client for requests that are not recorded for roles, because they depend on how the process was started. Default: `client`. */
  readonly unrecorded?: Client;
  readonly random?: Random;
}

const DEFAULT_PORT = 9443;
const MAX_BODY_BYTES = 7 * 1024 * 1024;
const RETRY_MS = 5_000;
/** Interval at which a process looks whether its temporary registration is still there. */
const STAY_MS = 2_000;
/** Timeout for restoring the registrations at the end. */
const RESTORE_MS = 5_000;

/** Serves webhooks over TLS, in every replica. */
export class WebhookServer extends Webhooks {
  readonly needsLease = false;
  readonly #options: WebhookServerOptions;
  readonly #client: Client;
  readonly #unrecorded: Client;
  readonly #random: Random;
  readonly #started = deferred();
  readonly #stopping = new AbortController();
  #port: number | undefined;
  #inProcessUrl: string | undefined;
  #isReady = false;
  #settings: ProgramSettings['webhooks'];
  /** The address that was registered last. */
  #published: WebhookAddress = {};
  /** URL of another process that is registered. */
  #waitsFor: string | undefined;

  constructor(dependencies: WebhookServerDependencies, options: WebhookServerOptions = {}) {
    super(dependencies);
    this.#client = dependencies.client;
    this.#unrecorded = dependencies.unrecorded ?? dependencies.client;
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

  /** Resolves once the webhooks are registered. Rejects when listening or registering fails. */
  get started(): Promise<void> {
    return this.#started.promise;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Port, once the server listens. */
  get port(): number | undefined {
    return this.#port;
  }

  /** Address at which the API server reaches the webhooks. */
  get address(): WebhookAddress {
    const { service, url } = this.#options;
    if (this.#inProcessUrl !== undefined) return { url: this.#inProcessUrl };
    if (this.#isTemporary) return { url: this.#temporaryUrl };
    return service ? { service } : { url: url! };
  }

  /**
   * Applies the settings of the process, which take precedence over the options. Rejects with an `OperatorError` when the
   * API server cannot reach the webhooks, before anything is changed.
   */
  async prepare(settings: ProgramSettings['webhooks'], { signal }: { readonly signal: AbortSignal }): Promise<void> {
    this.#settings = settings;
    await this.#check(signal).catch(ignoring(isTransient));
  }

  /** True when the address is only valid while this process runs, so that the registration is temporary. */
  get #isTemporary(): boolean {
    const { service, url } = this.#options;
    return typeof this.#settings === 'object' || (service === undefined && url === undefined);
  }

  get #temporaryUrl(): string {
    if (typeof this.#settings === 'object') return this.#settings.url;
    return `https://localhost:${this.#port ?? this.#options.port ?? DEFAULT_PORT}`;
  }

  /** True when the API server is on this machine and belongs to the developer, who starts one process after the other. */
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
    if (!this.#isRegistering || this.#options.connectInProcess !== undefined || url === undefined) return;
    if (this.#isLocal && this.#isTemporary) return;
    const isExplicit = !this.#isTemporary || typeof this.#settings === 'object';
    await checkReach(this.#unrecorded, { url, isExplicit, signal });
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    try {
      if (this.isEmpty || this.#settings === 'none') return await this.#skip(signal);
      await (this.#options.connectInProcess === undefined
        ? this.#serve(signal)
        : this.#serveInProcess(this.#options.connectInProcess, signal));
    } catch (error) {
      this.#started.reject(error);
      if (!signal.aborted) throw error;
    }
  }

  /** Serves no webhooks. Restores registrations that an earlier process has left. */
  async #skip(signal: AbortSignal): Promise<void> {
    if (!this.isEmpty) {
      await this.#withRetries(
        () => restoreRegistrations(this.#unrecorded, this, { clock: this.clock, signal }),
        signal,
      );
      this.log?.info('Skipped webhooks', { webhooks: this.name });
    }
    this.#start();
    await onceAborted(signal);
  }

  async #serve(signal: AbortSignal): Promise<void> {
    await this.#withRetries(() => this.#check(signal), signal);
    const { createServer } = await import('node:https');
    const source = this.#source();
    const certificate = await this.#withRetries(() => this.#load(source, signal), signal);
    // The certificate is loaded before the first connection.
    const server = createServer(
      { minVersion: 'TLSv1.2', ...contextOf(certificate) },
      (request, response) => void this.#respond(request, response),
    );
    const { host, port = DEFAULT_PORT } = this.#options;
    this.#port = await listen(server, port, host).catch((error: unknown) => {
      throw listenError(error, { serves: 'webhooks', port, setting: 'WEBHOOK_PORT' });
    });
    try {
      const isComplete = await this.#withRetries(() => this.#publish(certificate.authorities, signal), signal);
      this.#start();
      await Promise.all([
        this.#maintain(server, source, certificate, isComplete, signal),
        this.#stayRegistered(signal),
      ]);
    } finally {
      await this.#restore();
      await this.#close(server);
    }
  }

  /** Restores the registrations; when that fails, the next start does it. */
  async #restore(): Promise<void> {
    if (!this.#isTemporary || !this.#isRegistering || this.#isLocal) return;
    const timeout = new AbortController();
    using _timer = this.clock.setTimer(RESTORE_MS, () => timeout.abort(new Error(`timed out after ${RESTORE_MS} ms`)));
    try {
      await restoreRegistrations(this.#unrecorded, this, {
        clock: this.clock,
        url: this.#temporaryUrl,
        signal: timeout.signal,
      });
    } catch (error) {
      this.log?.warn('Cannot restore the registration of webhooks', {
        webhooks: this.name,
        ...errorFields(error),
      });
    }
  }

  async #serveInProcess(
    connectInProcess: NonNullable<WebhookServerOptions['connectInProcess']>,
    signal: AbortSignal,
  ): Promise<void> {
    this.#inProcessUrl = connectInProcess(this);
    let isComplete = await this.#withRetries(() => this.#publish(undefined, signal), signal);
    this.#start();
    while (!isComplete) {
      await this.clock.sleep(RETRY_MS, { signal });
      isComplete = await this.#withRetries(() => this.#publish(undefined, signal), signal);
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
    if (this.#isTemporary)
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
        await this.#publish(authorities, signal);
      },
    });
  }

  /** Registers the webhooks. Resolves with false when definitions are missing. */
  async #publish(authorities: string | undefined, signal: AbortSignal): Promise<boolean> {
    if (!this.#isRegistering) return true;
    const address = { ...this.address, ...(authorities !== undefined && { authorities }) };
    this.#published = address;
    const { missing, waitsFor } = await this.#register(address, signal);
    this.#noteWaiting(waitsFor);
    if (missing.length > 0) this.log?.warn('Waiting for definitions to convert', { definitions: missing });
    return missing.length === 0;
  }

  async #register(address: WebhookAddress, signal: AbortSignal): Promise<Registered> {
    if (this.#inProcessUrl !== undefined) return await registerWebhooks(this.#client, this, address, { signal });
    if (this.#isTemporary)
      return await registerTemporarily(
        this.#unrecorded,
        this,
        { ...address, url: this.#temporaryUrl },
        { clock: this.clock, signal },
      );
    await restoreRegistrations(this.#client, this, { clock: this.clock, signal, keepsCreated: true });
    return await registerWebhooks(this.#client, this, address, { signal });
  }

  /**
   * Registers a temporary address again when another writer has removed or replaced the registration, or when the process that was
   * registered instead no longer runs, until `signal` aborts. Other addresses are those of several replicas.
   */
  async #stayRegistered(signal: AbortSignal): Promise<void> {
    if (!this.#isTemporary || !this.#isRegistering) return;
    let isFailing = false;
    while (!signal.aborted) {
      await this.clock.sleep(STAY_MS, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const address = { ...this.#published, url: this.#temporaryUrl };
        const options = { clock: this.clock, isRepair: true, signal };
        this.#noteWaiting((await registerTemporarily(this.#unrecorded, this, address, options)).waitsFor);
        isFailing = false;
      } catch (error) {
        if (!signal.aborted && !isFailing)
          this.log?.warn('Cannot check the registration of webhooks', { webhooks: this.name, ...errorFields(error) });
        isFailing = true;
      }
    }
  }

  #noteWaiting(url: string | undefined): void {
    if (url === this.#waitsFor) return;
    if (url !== undefined)
      this.log?.info('Waiting to register webhooks: another process is registered', { webhooks: this.name, url });
    else this.log?.info('Registered webhooks: the other process has stopped', { webhooks: this.name });
    this.#waitsFor = url;
  }

  /** Renews certificates, and registers definitions that were missing, until `signal` aborts. */
  async #maintain(
    server: Server,
    source: CertificateSource,
    first: ServingCertificate,
    wasComplete: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    let known = first;
    let isComplete = wasComplete;
    let isRenewed = true;
    while (!signal.aborted) {
      const waitMs = isComplete && isRenewed ? source.checkEveryMs : Math.min(RETRY_MS, source.checkEveryMs);
      await this.clock.sleep(waitMs, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const next = await this.#load(source, signal);
        if (next.certificate !== known.certificate) server.setSecureContext(contextOf(next));
        if (!isComplete || next.authorities !== known.authorities)
          isComplete = await this.#publish(next.authorities, signal);
        if (next.certificate !== known.certificate) this.log?.info('Loaded a new certificate', { webhooks: this.name });
        known = next;
        isRenewed = true;
      } catch (error) {
        isRenewed = false;
        if (!signal.aborted) this.log?.warn('Cannot renew certificates', errorFields(error));
      }
    }
  }

  /** Retries while the API server is unreachable; rejects when it refuses. */
  async #withRetries<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const backoff = new Backoff({ initialMs: 500, maxMs: 15_000, jitter: 0.2, random: this.#random });
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        signal.throwIfAborted();
        if (!isTransient(error)) throw error;
        this.log?.warn('Cannot prepare webhooks; retrying', errorFields(error));
      }
      await this.clock.sleep(backoff.next(), { signal });
    }
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await this.#handleRequest(request).catch(() => ({
      status: 500,
      body: 'Internal error\n',
    }));
    response.writeHead(status, {
      'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(this.#stopping.signal.aborted && { connection: 'close' }),
    });
    response.end(body);
  }

  async #handleRequest(
    request: IncomingMessage,
  ): Promise<{ readonly status: number; readonly body: string | Uint8Array }> {
    const { method, url = '/', headers } = request;
    if (method !== 'POST') return { status: 405, body: 'Only POST is allowed\n' };
    if (!/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? ''))
      return { status: 415, body: 'Only application/json is supported\n' };
    const bytes = await readBody(request);
    if (bytes === undefined) return { status: 413, body: `The body is larger than ${MAX_BODY_BYTES} bytes\n` };
    const { path } = splitTarget(url);
    if (!this.answers(path)) return { status: 404, body: 'Webhook not found\n' };
    const review = readJson(bytes);
    const { signal } = this.#stopping;
    const answer = isJsonObject(review) ? await this.handle(path, review, { signal }) : undefined;
    if (answer === undefined) return { status: 400, body: 'The body is not a review\n' };
    return { status: 200, body: encodeJson(answer) };
  }

  /** Stops accepting connections, and resolves when active requests are answered. */
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

function isTransient(error: unknown): boolean {
  if (error instanceof StatusError) return error.code >= 500 || error.code === 429;
  return error instanceof ClientError && ['Unreachable', 'TimedOut', 'Unreadable'].includes(error.failure.code);
}
