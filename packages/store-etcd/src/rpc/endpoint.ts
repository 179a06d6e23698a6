import { Client, type ClientDuplexStream, credentials, Metadata } from '@grpc/grpc-js';
import type { Clock } from '@pintle/async';
import { type Method, WATCH, type WatchRequest, type WatchResponse } from './methods.ts';
import { RpcError } from './rpc-error.ts';

/** Connection options; without `tls`, in plain text. */
export interface EndpointOptions {
  readonly tls?: TlsOptions | undefined;
  readonly clock: Clock;
}

export interface CallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Fails at once, with the reason, when the connection cannot be established, instead of waiting for it. */
  readonly failFast?: boolean;
}

export interface TlsOptions {
  /** Trusted CA certificates, in PEM. Default: those that Node.js trusts. */
  readonly ca?: string | undefined;
  /** Client certificate, in PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export type WatchStream = ClientDuplexStream<WatchRequest, WatchResponse>;

/**
 * One member of the cluster, by one connection. Keepalive pings end a silent connection after 15 s at the latest;
 * callers that notice earlier call `reconnect`.
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

  /** Sends an encoded request once, without retries. Rejects with RpcError. */
  call<Response>(
    { path, decode }: Method<never, Response>,
    request: Uint8Array,
    options: CallOptions,
  ): Promise<Response> {
    const { timeoutMs, signal, failFast = false } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const call = this.#client.makeUnaryRequest<Uint8Array, Response>(
        path,
        toBuffer,
        decode,
        request,
        new Metadata({ waitForReady: !failFast }),
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

  /** Opens a watch stream, which the member ends when it has lost its leader: its events would be stale. */
  watch(): WatchStream {
    const { path, encode, decode } = WATCH;
    const metadata = new Metadata({ waitForReady: true });
    metadata.set('hasleader', 'true');
    return this.#client.makeBidiStreamRequest(path, (value: WatchRequest) => toBuffer(encode(value)), decode, metadata);
  }

  /** Replaces a connection that does not answer. Pending calls on it fail by themselves. */
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

/** etcd limits requests, and responses are as large as requested. It allows a ping every 5 s. */
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
