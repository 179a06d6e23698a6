import type { ApiResponse, UserInfo } from '@pintle/apiserver';
import { inProcess } from '@pintle/apiserver';
import { SeededRandom, SteppedClock } from '@pintle/async';
import type { Store } from '@pintle/store';
import { openMemoryStore } from '@pintle/store';
import type { KubeApiServerOptions } from '../kube-api-server.ts';
import { KubeApiServer } from '../kube-api-server.ts';

export interface SendOptions {
  /** An object is sent as JSON, other values as they are. */
  readonly body?: object | string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a member of `system:masters`. */
  readonly user?: UserInfo;
  readonly signal?: AbortSignal;
}

/** An API server with a memory store, a stopped clock and seeded random numbers. */
export interface TestServer extends AsyncDisposable {
  readonly server: KubeApiServer;
  readonly store: Store;
  readonly clock: SteppedClock;
  /** Sends a request; the path may have a query. */
  send(method: string, path: string, options?: SendOptions): Promise<ApiResponse>;
}

export const ADMIN: UserInfo = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };

export async function openTestServer(
  options: Partial<KubeApiServerOptions> & { seed?: number } = {},
): Promise<TestServer> {
  const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5) });
  const store = options.store ?? (await openMemoryStore({ clock }));
  const server = await KubeApiServer.open({
    store,
    clock,
    random: new SeededRandom(options.seed ?? 1),
    authenticator: { authenticate: () => undefined },
    // No controller creates service accounts here.
    disabledAdmission: ['ServiceAccount'],
    ...options,
  });
  const send: TestServer['send'] = (method, target, { body, headers = {}, user = ADMIN, signal } = {}) => {
    const [path = '', query = ''] = target.split('?', 2);
    const bytes = body === undefined ? undefined : toBody(body);
    return inProcess(
      server,
      user,
    )({
      method,
      path,
      query,
      headers,
      ...(bytes && { body: bytes }),
      ...(signal && { signal }),
    });
  };
  const dispose = async (): Promise<void> => {
    await server.close();
    await store.close();
  };
  return { server, store, clock, send, [Symbol.asyncDispose]: dispose };
}

function toBody(body: NonNullable<SendOptions['body']>): Uint8Array | AsyncIterable<Uint8Array> {
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array || Symbol.asyncIterator in body) return body;
  return Buffer.from(JSON.stringify(body));
}

/** Returns the whole body as text; of a stream, until it ends. */
export async function textOf({ body }: ApiResponse): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
