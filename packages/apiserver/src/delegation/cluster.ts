import type { Clock } from '@pintle/async';
import { BoundedCache } from '@pintle/async';
import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson, parseJson } from '@pintle/machinery/json';

/** Sends requests to the cluster's own server. A transport of `@pintle/client` fits, and so does `inProcess`. */
export interface ClusterTransport {
  send(request: {
    readonly method: string;
    readonly path: string;
    readonly query?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Uint8Array;
  }): Promise<{ readonly status: number; readonly body: Uint8Array | AsyncIterable<Uint8Array> }>;
}

interface ClusterResponse {
  readonly status: number;
  /** Empty when the response is not JSON. */
  readonly body: JsonObject;
}

/** Sends a request to the cluster and reads the response as JSON. */
export async function requestCluster(
  cluster: ClusterTransport,
  method: string,
  path: string,
  { body, query, contentType = 'application/json' }: { body?: object; query?: string; contentType?: string } = {},
): Promise<ClusterResponse> {
  const response = await cluster.send({
    method,
    path,
    ...(query && { query }),
    headers: { accept: 'application/json', 'user-agent': 'pintle-apiserver', 'content-type': contentType },
    ...(body && { body: encodeJson(body as JsonObject) }),
  });
  const chunks: Uint8Array[] = [];
  if (response.body instanceof Uint8Array) chunks.push(response.body);
  else for await (const chunk of response.body) chunks.push(chunk);
  return { status: response.status, body: parsed(Buffer.concat(chunks)) };
}

function parsed(bytes: Uint8Array): JsonObject {
  try {
    return parseJson(bytes) as JsonObject;
  } catch {
    return {};
  }
}

const MAX_RESPONSES = 10_000;

/** Responses of the cluster, cached for a limited time. */
export class ResponseCache<V> {
  readonly #clock: Clock;
  readonly #forMs: number;
  readonly #responses = new BoundedCache<{ readonly value: V; readonly untilMs: number }>(MAX_RESPONSES);

  constructor(clock: Clock, forMs: number) {
    this.#clock = clock;
    this.#forMs = forMs;
  }

  /** Returns the cached value, or the result of `ask`. Does not cache `undefined`. */
  async get(key: string, ask: () => Promise<V | undefined>): Promise<V | undefined> {
    const known = this.#responses.get(key);
    if (known !== undefined && known.untilMs > this.#clock.monotonic()) return known.value;
    const value = await ask();
    if (value !== undefined) this.#responses.set(key, { value, untilMs: this.#clock.monotonic() + this.#forMs });
    return value;
  }
}
