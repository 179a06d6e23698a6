import { Channel } from '@pintle/async';
import type { TransportRequest, TransportResponse } from '@pintle/client';
import type { Lease } from '@pintle/kinds/coordination/v1';

/** A server that knows one lease, and tells those who watch it. */
export class LeaseServer {
  #lease: Lease | undefined;
  #version = 0;
  readonly #watchers = new Set<Channel<Uint8Array>>();

  handle(request: TransportRequest): TransportResponse {
    if (request.query?.startsWith('watch=true')) return this.#watch(request);
    if (request.method === 'GET') return this.#lease ? answer(200, this.#lease) : refuse(404, 'NotFound');
    const given = JSON.parse(Buffer.from(request.body ?? []).toString()) as Lease;
    if (request.method === 'POST' && this.#lease) return refuse(409, 'AlreadyExists');
    if (request.method === 'PUT' && given.metadata.resourceVersion !== this.#lease?.metadata.resourceVersion)
      return refuse(409, 'Conflict');
    this.#lease = { ...given, metadata: { ...given.metadata, resourceVersion: `${++this.#version}` } };
    for (const watcher of this.#watchers) watcher.trySend(this.#event());
    return answer(200, this.#lease);
  }

  #watch({ signal }: TransportRequest): TransportResponse {
    const body = new Channel<Uint8Array>(100);
    this.#watchers.add(body);
    signal?.addEventListener('abort', () => {
      this.#watchers.delete(body);
      body.close();
    });
    if (this.#lease) body.trySend(this.#event());
    return { status: 200, headers: {}, body };
  }

  #event(): Uint8Array {
    return Buffer.from(`${JSON.stringify({ type: 'MODIFIED', object: this.#lease })}\n`);
  }
}

function answer(status: number, value: object): TransportResponse {
  return { status, headers: {}, body: Buffer.from(JSON.stringify(value)) };
}

function refuse(code: number, reason: string): TransportResponse {
  return answer(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code });
}
