// Serves one recorded list and one recorded watch as fast as they are read: `client-replay.mjs FOLDER`. Prints its port.
// The speed of a real server does not affect the comparison of clients.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const folder = process.argv[2];
const read = (name) => readFileSync(join(folder, name));
const { version } = JSON.parse(read('facts.json'));
const list = read('list.json');
const events = read('events.jsonl');
const metadata = { resourceVersion: version, annotations: { 'k8s.io/initial-events-end': 'true' } };
const kind = { kind: 'Fruit', apiVersion: 'bench.pintle.dev/v1' };
const bookmark = Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object: { ...kind, metadata } })}\n`);
const empty = Buffer.from(
  JSON.stringify({ ...kind, kind: 'FruitList', metadata: { resourceVersion: '1' }, items: [] }),
);
const CHUNK_BYTES = 64 * 1024;

/** `/full/…` has the objects from the start, `/empty/…` gets them by a watch. */
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://x');
  const isFull = pathname.startsWith('/full');
  response.writeHead(200, { 'content-type': 'application/json' });
  if (searchParams.get('watch') !== 'true') {
    response.end(isFull ? list : empty);
    return;
  }
  response.flushHeaders();
  const begins = searchParams.get('sendInitialEvents') === 'true';
  if (begins && !isFull) response.write(bookmark.toString().replace(version, '1'));
  if (begins || !isFull) send(response, events);
  if (begins && isFull) response.write(bookmark);
});

/** Sends all bytes at once, so that clients never wait for this process. */
function send(response, bytes) {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    response.write(bytes.subarray(start, start + CHUNK_BYTES));
  }
}

server.listen(0, '127.0.0.1', () => console.log(server.address().port));
