import { Client, type ClientDuplexStream, credentials, Metadata } from '@grpc/grpc-js';
import type { Clock } from '@pintle/async';
import { type Method, WATCH, type WatchAnswer, type WatchAsk } from './methods.ts';
import { RpcError } from './rpc-error.ts';

/** How to speak to etcd: without `tls`, in plain text. */
export interface EndpointOptions {
  readonly tls?: TlsOptions | undefined;
  readonly clock: Clock;
}

export interface CallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Fails, saying why, when no connection can be made now, instead of waiting for one. */
  readonly isImpatient?: boolean;
}

export interface TlsOptions {
  /** Whom to trust, in PEM. Default: the authorities that Node trusts. */
  readonly ca?: string | undefined;
  /** Who this server is, in PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export type WatchStream = ClientDuplexStream<WatchAsk, WatchAnswer>;

/**
 * One member of the cluster, by one connection. Keepalive pings end a connection that has gone silent after 15 s at the
 * latest; whoever notices sooner calls `reconnect`.
 */
export class Endpoint {
  readonly address: string;
  readonly #options: EndpointOptions;
  #client: Client;
  #isClosed = false;

  /** `address` is `host:port`. */
  constructor(address: string, options: EndpointOptions) {
    this.address = address;
    this.#options = options;
    this.#client = this.#connect();
  }

  /** Asks once, and never again by itself. `request` is encoded already. Rejects with RpcError. */
  call<Response>(
    { path, decode }: Method<never, Response>,
    request: Uint8Array,
    options: CallOptions,
  ): Promise<Response> {
    const { timeoutMs, signal, isImpatient = false } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const call = this.#client.makeUnaryRequest<Uint8Array, Response>(
        path,
        toBuffer,
        decode,
        request,
        new Metadata({ waitForReady: !isImpatient }),
        { deadline: this.#options.clock.now() + timeoutMs },
        (error, value) => {
          signal?.removeEventListener('abort', onAbort);
          if (error) reject(signal?.aborted ? signal.reason : RpcError.of(error, this.address));
          else resolve(value!);
        },
      );
      const onAbort = () => call.cancel();
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** A stream of watches that the member ends when it has lost its leader: what it tells would be old. */
  watch(): WatchStream {
    const { path, encode, decode } = WATCH;
    const metadata = new Metadata({ waitForReady: true });
    metadata.set('hasleader', 'true');
    return this.#client.makeBidiStreamRequest(path, (value: WatchAsk) => toBuffer(encode(value)), decode, metadata);
  }

  /** Lets go of a connection that does not answer: what is under way on it fails by itself. */
  reconnect(): void {
    if (this.#isClosed) return;
    this.#client.close();
    this.#client = this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }

  #connect(): Client {
    return new Client(this.address, this.#credentials(), CHANNEL_OPTIONS);
  }

  #credentials() {
    const { tls } = this.#options;
    if (tls === undefined) return credentials.createInsecure();
    const pem = (text: string | undefined) => (text === undefined ? null : Buffer.from(text));
    return credentials.createSsl(pem(tls.ca), pem(tls.key), pem(tls.cert));
  }
}

/** etcd bounds requests, and answers with as much as it was asked for. It allows a ping every 5 s. */
const CHANNEL_OPTIONS = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc-node.max_session_memory': 1 << 30,
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
};

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
