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

interface ClusterAnswer {
  readonly status: number;
  /** Empty when the response is not JSON. */
  readonly body: JsonObject;
}

/** Sends a request to the cluster and reads the response as JSON. */
export async function askCluster(
  cluster: ClusterTransport,
  method: string,
  path: string,
  { body, query, contentType = 'application/json' }: { body?: object; query?: string; contentType?: string } = {},
): Promise<ClusterAnswer> {
  const answer = await cluster.send({
    method,
    path,
    ...(query && { query }),
    headers: { accept: 'application/json', 'user-agent': 'pintle-apiserver', 'content-type': contentType },
    ...(body && { body: encodeJson(body as JsonObject) }),
  });
  const chunks: Uint8Array[] = [];
  if (answer.body instanceof Uint8Array) chunks.push(answer.body);
  else for await (const chunk of answer.body) chunks.push(chunk);
  return { status: answer.status, body: parsed(Buffer.concat(chunks)) };
}

function parsed(bytes: Uint8Array): JsonObject {
  try {
    return parseJson(bytes) as JsonObject;
  } catch {
    return {};
  }
}

const MAX_ANSWERS = 10_000;

/** Responses of the cluster, cached for a limited time. */
export class AnswerCache<V> {
  readonly #clock: Clock;
  readonly #forMs: number;
  readonly #answers = new BoundedCache<{ readonly value: V; readonly untilMs: number }>(MAX_ANSWERS);

  constructor(clock: Clock, forMs: number) {
    this.#clock = clock;
    this.#forMs = forMs;
  }

  /** Returns the cached value, or the result of `ask`. Does not cache `undefined`. */
  async get(key: string, ask: () => Promise<V | undefined>): Promise<V | undefined> {
    const known = this.#answers.get(key);
    if (known !== undefined && known.untilMs > this.#clock.monotonic()) return known.value;
    const value = await ask();
    if (value !== undefined) this.#answers.set(key, { value, untilMs: this.#clock.monotonic() + this.#forMs });
    return value;
  }
}
