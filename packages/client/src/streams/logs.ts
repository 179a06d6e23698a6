import { Pod } from '@pintle/kinds/core/v1';
import type { Client } from '../rest/client.ts';
import type { ObjectRef } from '../rest/resource-path.ts';
import { resourcePath } from '../rest/resource-path.ts';
import { readFailure } from '../rest/response.ts';

export interface LogOptions {
  readonly container?: string;
  /** True streams new lines while the container runs. */
  readonly follow?: boolean;
  /** True reads the logs of the previous instance of the container. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly signal?: AbortSignal;
}

/** Streams the logs of a container. Throws a `StatusError` when the server refuses. */
export async function* logs(
  client: Client,
  pod: ObjectRef,
  { signal, ...options }: LogOptions = {},
): AsyncGenerator<Uint8Array, void> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) if (value !== undefined) query.set(name, `${value}`);
  const path = resourcePath(Pod, { ...pod, subresource: 'log' });
  const request = { method: 'GET', path, query: query.toString(), headers: { accept: '*/*' } };
  const response = await client.send({ ...request, ...(signal && { signal }) });
  if (response.status !== 200) throw await readFailure(response);
  if (response.body instanceof Uint8Array) yield response.body;
  else yield* response.body;
}

/** Longer lines are split. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Streams the logs line by line, without line ends. */
export async function* logLines(client: Client, pod: ObjectRef, options?: LogOptions): AsyncGenerator<string, void> {
  let partial = Buffer.alloc(0);
  for await (const chunk of logs(client, pod, options)) {
    let rest = partial.length === 0 ? Buffer.from(chunk) : Buffer.concat([partial, chunk]);
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      yield rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_LINE_BYTES) yield rest.toString();
    partial = rest.length > MAX_LINE_BYTES ? Buffer.alloc(0) : rest;
  }
  if (partial.length > 0) yield partial.toString();
}
