import { readFile } from 'node:fs/promises';
import { abortable, type Clock, realClock } from '@pintle/async';
import { ClientError } from '../errors.ts';
import type { TlsOptions } from '../transport/dial.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import type { MessageSocket, SocketRequest } from '../transport/message-socket.ts';
import type { Transport, TransportEndpoint, TransportRequest, TransportResponse } from '../transport/transport.ts';
import { readAll } from '../transport/transport.ts';
import type { ClientConfig } from './client-config.ts';
import type { Credential, CredentialSource } from './credentials.ts';
import { credentialsOf } from './credentials.ts';
import { badConfig } from './fields.ts';
import { impersonationHeaders } from './impersonation.ts';
import type { PemSource } from './kubeconfig.ts';

export interface ConfigTransportOptions {
  readonly clock?: Clock;
  /** Default: HTTP/2 where the server offers it. */
  readonly protocol?: 'http/1.1';
}

/** Bound of the body of a 401 response; Status objects of the API are smaller. */
const MAX_REFUSAL_BYTES = 4 * 1024 * 1024;
/** Interval at which certificate files are read again. */
const FILES_AGE_MS = 60_000;
/** Time that connections with an old certificate stay open: requests finish, and watches resume on new connections. */
const RETIRE_AFTER_MS = 60_000;

/**
 * Sends requests to the server of a configuration, as its user. Retries a request once after a 401 when newer credentials
 * are available. Uses a renewed certificate for new connections.
 */
export class ConfigTransport implements Transport {
  readonly #config: ClientConfig;
  readonly #clock: Clock;
  readonly #options: ConfigTransportOptions;
  readonly #credentials: CredentialSource;
  readonly #impersonation: Readonly<Record<string, string | readonly string[]>>;
  /** All open transports: the newest is in use, the others are about to close. */
  readonly #transports = new Set<HttpTransport>();
  #newest: { readonly transport: HttpTransport; readonly tls: TlsOptions } | undefined;
  #files: { readonly tls: TlsOptions; readonly readAt: number } | undefined;
  #isClosed = false;

  constructor(config: ClientConfig, options: ConfigTransportOptions = {}) {
    this.#config = config;
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#credentials = credentialsOf(config, this.#clock);
    this.#impersonation = impersonationHeaders(config.user.impersonate);
  }

  get endpoint(): TransportEndpoint {
    const { server, proxy } = this.#config.cluster;
    return { server, ...(proxy !== undefined && { proxy }) };
  }

  get isProbed(): boolean {
    return this.#newest?.transport.isProbed ?? false;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    return (await this.#asUser(request.signal, async (credential) => {
      const transport = await this.#transportFor(credential);
      return await transport.send({ ...request, headers: this.#headers(credential, request) });
    })) as TransportResponse;
  }

  async openSocket(request: SocketRequest): Promise<MessageSocket | TransportResponse> {
    return await this.#asUser(request.signal, async (credential) => {
      const transport = await this.#transportFor(credential);
      return await transport.openSocket({ ...request, headers: this.#headers(credential, request) });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#transports].map((transport) => transport.close()));
  }

  async #asUser(
    signal: AbortSignal | undefined,
    ask: (credential: Credential) => Promise<TransportResponse | MessageSocket>,
  ): Promise<TransportResponse | MessageSocket> {
    signal?.throwIfAborted();
    const credential = await abortable(this.#credentials.current(), signal);
    const answer = await ask(credential);
    if (!('status' in answer) || answer.status !== 401) return answer;
    const refusal = { ...answer, body: await readAll(answer, { maxBytes: MAX_REFUSAL_BYTES }) };
    if (!(await abortable(this.#credentials.renew(credential), signal))) return refusal;
    return await ask(await this.#credentials.current());
  }

  #headers({ authorization }: Credential, { headers }: Pick<TransportRequest, 'headers'>) {
    return { ...this.#impersonation, ...headers, ...(authorization && { authorization }) };
  }

  async #transportFor(credential: Credential): Promise<HttpTransport> {
    const tls = { ...(await this.#readFiles()), ...identityIn(credential) };
    if (this.#isClosed) throw new ClientError({ code: 'Closed', what: 'the transport' });
    if (this.#newest !== undefined && isSame(this.#newest.tls, tls)) return this.#newest.transport;
    if (this.#newest !== undefined) this.#retire(this.#newest.transport);
    const { server, proxy } = this.#config.cluster;
    const transport = new HttpTransport({ ...this.#options, server, tls, ...(proxy !== undefined && { proxy }) });
    this.#transports.add(transport);
    this.#newest = { transport, tls };
    return transport;
  }

  #retire(transport: HttpTransport): void {
    this.#clock.setTimer(RETIRE_AFTER_MS, () => {
      this.#transports.delete(transport);
      void transport.close();
    });
  }

  async #readFiles(): Promise<TlsOptions> {
    const { cluster, user } = this.#config;
    const now = this.#clock.monotonic();
    if (this.#files !== undefined && now - this.#files.readAt < FILES_AGE_MS) return this.#files.tls;
    const [ca, cert, key] = await Promise.all([cluster.ca, user.cert, user.key].map(readSource));
    const tls = {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(cluster.tlsServerName !== undefined && { serverName: cluster.tlsServerName }),
      ...(cluster.insecureSkipVerify && { insecureSkipVerify: true }),
    };
    this.#files = { tls, readAt: now };
    return tls;
  }
}

async function readSource(source: PemSource | undefined): Promise<Uint8Array | undefined> {
  if (source === undefined || 'data' in source) return source?.data;
  try {
    return await readFile(source.file);
  } catch (cause) {
    throw badConfig(`cannot read certificate file ${source.file}`, cause);
  }
}

function identityIn({ cert, key }: Credential): TlsOptions {
  return cert === undefined || key === undefined ? {} : { cert, key };
}

function isSame(a: TlsOptions, b: TlsOptions): boolean {
  return (['ca', 'cert', 'key'] as const).every((name) => {
    const [left, right] = [a[name], b[name]];
    return (
      left === right || (left !== undefined && right !== undefined && Buffer.from(left).equals(Buffer.from(right)))
    );
  });
}
