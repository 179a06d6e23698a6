import type { KubernetesObject } from '@pintle/machinery';
import type { KubeApiServerOptions } from '../kube-api-server.ts';
import type { SendOptions, TestServer } from './open-test-server.ts';
import { openTestServer, textOf } from './open-test-server.ts';

/** A parsed response. Tests match the body. */
export interface Answer {
  readonly status: number;
  readonly body: KubernetesObject & Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** A test server with a JSON client. */
export interface TestApi extends AsyncDisposable {
  readonly server: TestServer;
  get(path: string, options?: SendOptions): Promise<Answer>;
  post(path: string, body: object, options?: SendOptions): Promise<Answer>;
  put(path: string, body: object): Promise<Answer>;
  /** A JSON merge patch. */
  merge(path: string, body: object): Promise<Answer>;
  /** Server-side apply by this manager; the path may have a query. */
  apply(path: string, manager: string, body: object | string): Promise<Answer>;
  delete(path: string, body?: object): Promise<Answer>;
}

export async function openTestApi(options: Partial<KubeApiServerOptions> & { seed?: number } = {}): Promise<TestApi> {
  const server = await openTestServer(options);
  const send = async (method: string, path: string, more: SendOptions = {}): Promise<Answer> => {
    const response = await server.send(method, path, more);
    const text = await textOf(response);
    const { warning = [] } = response.headers;
    const warnings = typeof warning === 'string' ? [warning] : warning;
    return { status: response.status, body: text === '' ? {} : JSON.parse(text), warnings };
  };
  const headers = { 'content-type': 'application/json' };
  return {
    server,
    get: (path, more) => send('GET', path, more),
    post: (path, body, more) => send('POST', path, { body, headers, ...more }),
    put: (path, body) => send('PUT', path, { body, headers }),
    merge: (path, body) => send('PATCH', path, { body, headers: { 'content-type': 'application/merge-patch+json' } }),
    apply: (path, manager, body) =>
      send('PATCH', `${path}${path.includes('?') ? '&' : '?'}fieldManager=${manager}`, {
        body,
        headers: { 'content-type': 'application/apply-patch+yaml' },
      }),
    delete: (path, body) => send('DELETE', path, body === undefined ? {} : { body, headers }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
