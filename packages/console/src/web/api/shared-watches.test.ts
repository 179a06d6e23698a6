import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { SharedWatches as ServerWatches, watchChangeIn } from '../../server/shared-watches.ts';
import { SharedWatches } from './shared-watches.ts';

/** Both ends of a stream, before an API whose watches say what the test writes into them. */
function connect() {
  const apis = new Map<string, TransformStreamDefaultWriter>();
  const streams: ServerWatches[] = [];
  let asked = 0;
  const server = (): ServerWatches => {
    const watches = new ServerWatches(async ({ path }, signal) => {
      asked++;
      if (path === '/denied') return { status: 403, headers: {}, body: Buffer.from('no') };
      const api = new TransformStream<Uint8Array, Uint8Array>();
      const writer = api.writable.getWriter();
      signal.addEventListener('abort', () => void writer.close().catch(() => {}));
      apis.set(path, writer);
      return { status: 200, headers: {}, body: api.readable };
    });
    streams.push(watches);
    return watches;
  };
  const page = new SharedWatches({
    open: async (signal) => {
      const watches = server();
      signal.addEventListener('abort', () => watches.close());
      return ReadableStream.from(watches.frames());
    },
    change: async (stream, change) => {
      const known = streams.find(({ id }) => id === stream);
      const read = watchChangeIn(JSON.parse(JSON.stringify(change)));
      if (known === undefined || read === undefined) throw new Error('refused');
      known.change(read);
    },
  });
  const open = async (path: string, signal = new AbortController().signal) => {
    const { status, body } = await page.watch({ path, query: 'watch=1', accept: 'application/json' }, signal);
    const reader = body.getReader();
    const next = async (): Promise<string | undefined> => {
      const { value } = await reader.read();
      return value && Buffer.from(value).toString();
    };
    return { status, reader, next, say: (text: string) => apis.get(path)!.write(Buffer.from(text)) };
  };
  return { page, open, streams, asked: () => asked };
}

test('watches share a stream, and each hears only what is its own', async () => {
  const { open, streams } = connect();
  const watches = await Promise.all(Array.from({ length: 1_200 }, (_, index) => open(`/${index}`)));
  await Promise.all(watches.map(({ say }, index) => say(`event ${index}\n`)));
  expect(await Promise.all(watches.map(({ next }) => next()))).toEqual(watches.map((_, index) => `event ${index}\n`));
  expect(streams).toHaveLength(1);
});

test('a refusal is told with its status, and the others go on', async () => {
  const { open } = connect();
  const [first, denied] = await Promise.all([open('/a'), open('/denied')]);
  expect([denied.status, await denied.next(), await denied.next()]).toEqual([403, 'no', undefined]);
  await first.say('still\n');
  expect(await first.next()).toBe('still\n');
});

test('a watch that nobody wants is closed at the server; with the last one the stream is', async () => {
  const { open, streams } = connect();
  const stop = new AbortController();
  const first = await open('/a');
  const second = await open('/b', stop.signal);
  stop.abort(new Error('enough'));
  await expect(second.next()).rejects.toThrow('enough');
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  await first.reader.cancel();
  await open('/c');
  expect(streams).toHaveLength(2);
});

test('when the stream breaks all of them do, and the next watch opens another', async () => {
  const { open, streams } = connect();
  const first = await open('/a');
  const lost = first.next();
  streams[0]!.close();
  await expect(lost).rejects.toThrow('The stream ended');
  const again = await open('/a');
  await again.say('back\n');
  expect(await again.next()).toBe('back\n');
});

test('a change that is refused breaks the stream, and is no answer to its watches', async () => {
  const refusal = new Error('404');
  const page = new SharedWatches({
    open: async () => ReadableStream.from([Buffer.from('{"stream":"a"}\n'), new Promise<never>(() => {})]),
    change: async () => {
      throw refusal;
    },
  });
  const watch = page.watch({ path: '/a', query: '', accept: '' }, new AbortController().signal);
  await expect(watch).rejects.toMatchObject({ message: 'The stream cannot be changed', cause: refusal });
});

test('a page that does not read does not fill the server', async () => {
  let sent = 0;
  const chunk = new Uint8Array(64 * 1024);
  const watches = new ServerWatches(async () => ({
    status: 200,
    headers: {},
    body: (async function* () {
      for (;;) {
        sent++;
        yield chunk;
      }
    })(),
  }));
  const frames = watches.frames();
  await frames.next();
  watches.change({ open: [{ id: 1, path: '/a', query: '', accept: '' }], close: [] });
  await frames.next();
  expect(sent).toBeLessThan(10);
  await frames.return(undefined);
});

test('a page that asks for more and more without reading holds no more than a stream may', async () => {
  let held = 0;
  let asked = 0;
  const watches = new ServerWatches(
    async () => {
      asked++;
      return { status: 403, headers: {}, body: new Uint8Array(1024) };
    },
    () => {
      if (held >= 100) return { status: 429, headers: {}, body: new Uint8Array(1024) };
      held++;
      return () => held--;
    },
  );
  const frames = watches.frames();
  await frames.next();
  const watch = { path: '/a', query: '', accept: '' };
  for (let id = 0; id < 2_000; ) {
    watches.change({ open: Array.from({ length: 100 }, () => ({ id: id++, ...watch })), close: [] });
    await new Promise(setImmediate);
  }
  // A page that reads again finds the stream ended, and opens another.
  let bytes = 0;
  for await (const frame of frames) bytes += frame.length;
  expect(bytes).toBeLessThan(600 * 1024);
  expect(asked).toBeLessThan(1_000);
  await expect.poll(() => held).toBe(0);
});

test.each([
  ['no object', undefined],
  ['a path without a slash', { open: [{ id: 1, path: 'api', query: '', accept: '' }], close: [] }],
  ['a path with a query', { open: [{ id: 1, path: '/api?watch', query: '', accept: '' }], close: [] }],
  ['a line break in a header', { open: [{ id: 1, path: '/api', query: '', accept: 'a\r\nb: c' }], close: [] }],
  ['a name as an id', { open: [{ id: '__proto__', path: '/api', query: '', accept: '' }], close: [] }],
  ['too many', { open: [], close: Array.from({ length: 1_001 }, (_, index) => index) }],
])('a change is refused: %s', (_name, body) => {
  expect(watchChangeIn(body)).toBeUndefined();
});
