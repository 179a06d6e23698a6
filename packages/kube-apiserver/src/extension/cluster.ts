import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson, parseJson } from '@pintle/machinery/json';

/** The way to the server that is extended. A transport of `@pintle/client` will do, and so will `inProcess`. */
export interface ClusterTransport {
  send(request: {
    readonly method: string;
    readonly path: string;
    readonly query?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Uint8Array;
  }): Promise<{ readonly status: number; readonly body: Uint8Array | AsyncIterable<Uint8Array> }>;
}

export interface ClusterAnswer {
  readonly status: number;
  /** Empty when the answer was no JSON. */
  readonly body: JsonObject;
}

/** Asks the cluster for an object, or to do something with one. */
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
    headers: { accept: 'application/json', 'user-agent': 'pintle-extension', 'content-type': contentType },
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
