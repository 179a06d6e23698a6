// The baseline of comparisons: the TLS server of Node.js, which sends given bytes.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Order, StartMessage } from './protocol.ts';
import { UsageMeter } from './usage-meter.ts';

let status = 200;
let body: Buffer = Buffer.alloc(0);
let headers: Record<string, string> = {};
/** Streams of watches: they get the bytes with every POST. */
const watchers = new Set<ServerHttp2Stream>();

await main();

async function main(): Promise<void> {
  const [{ pair }] = (await once(process, 'message')) as [StartMessage];
  const tls = { cert: pair.certificate, key: pair.privateKey };
  const http1 = createServer(tls, answer).listen(0, '127.0.0.1');
  const http2 = createSecureServer(tls).listen(0, '127.0.0.1');
  http2.on('stream', answerStream);
  await Promise.all([once(http1, 'listening'), once(http2, 'listening')]);
  const meter = new UsageMeter();
  process.on('message', (order: Order) => process.send?.(handle(order, meter)));
  process.on('disconnect', () => process.exit());
  process.send?.({ port: portOf(http1), http2Port: portOf(http2) });
}

function portOf(server: { address(): AddressInfo | string | null }): number {
  return (server.address() as AddressInfo).port;
}

function handle(order: Order, meter: UsageMeter): object {
  if (order.type === 'usage') return meter.take(order);
  if (order.type === 'serve') {
    status = order.status;
    body = Buffer.from(order.body);
    headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  }
  return {};
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const send = (): void => {
    response.writeHead(status, headers);
    response.end(body);
  };
  if (request.method === 'GET') send();
  else request.resume().on('end', send);
}

function answerStream(stream: ServerHttp2Stream, { ':method': method, ':path': path }: Record<string, unknown>): void {
  stream.on('error', () => {});
  if (String(path).includes('watch')) {
    openWatch(stream);
    return;
  }
  const send = (): void => {
    stream.respond({ ':status': status, ...headers });
    stream.end(body);
    if (method !== 'GET') for (const watcher of watchers) watcher.write(body);
  };
  if (method === 'GET') send();
  else stream.resume().on('end', send);
}

function openWatch(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  watchers.add(stream);
  stream.once('close', () => watchers.delete(stream));
}
