import { LOOPBACK } from '../auth/user-info.ts';
import type { ApiRequest, ApiResponse } from '../http/exchange.ts';

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Creates what every server has. What is there already stays as it is. */
export async function bootstrap(handle: (request: ApiRequest) => Promise<ApiResponse>): Promise<void> {
  for (const name of NAMESPACES) {
    await create(handle, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
}

async function create(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  path: string,
  object: object,
): Promise<void> {
  const response = await handle({
    method: 'POST',
    path,
    query: '',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(object)),
    signal: new AbortController().signal,
    peer: { address: '', user: LOOPBACK },
  });
  if (response.status !== 201 && response.status !== 409) {
    const text = response.body instanceof Uint8Array ? Buffer.from(response.body).toString() : '';
    throw new Error(`Cannot create ${path}: the server answered ${response.status} ${text}`);
  }
}
