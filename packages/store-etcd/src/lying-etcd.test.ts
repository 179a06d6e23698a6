import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { deferred } from '@pintle/async';
import { expect, test } from 'vitest';
import { openEtcdStore } from './etcd-store.ts';
import * as messages from './rpc/messages.ts';

type Unary = (request: Buffer) => Uint8Array;
type Stream = ServerDuplexStream<Buffer, Buffer>;

const header = { clusterId: 1n, memberId: 1n, revision: 7 };
const { RangeResponse, StatusResponse, TxnResponse, WatchResponse } = messages;

/** An etcd without keys at revision 7, which answers as a test says. */
class LyingEtcd implements AsyncDisposable {
  readonly #server = new Server();
  readonly streams: Stream[] = [];
  #arrived = deferred<Stream>();
  port = 0;

  static async start(lies: Readonly<Record<string, Unary>> = {}): Promise<LyingEtcd> {
    const etcd = new LyingEtcd();
    const answers: Record<string, Unary> = {
      'Maintenance/Status': () => StatusResponse.encode({ header, version: '3.6.16' }),
      'KV/Range': () => RangeResponse.encode({ header }),
      'KV/Txn': () => TxnResponse.encode({ header: { ...header, revision: 8 }, succeeded: true }),
      'Lease/LeaseGrant': () => messages.LeaseGrantResponse.encode({ id: 5n, ttl: 3600 }),
      ...lies,
    };
    for (const [name, answer] of Object.entries(answers)) etcd.#serve(name, answer);
    etcd.#server.register('/etcdserverpb.Watch/Watch', (call: Stream) => etcd.#watch(call), same, same, 'bidi');
    await new Promise<void>((resolve, reject) => {
      etcd.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
        etcd.port = port;
        if (error) reject(error);
        else resolve();
      });
    });
    return etcd;
  }

  open() {
    return openEtcdStore({ endpoints: [`http://127.0.0.1:${this.port}`], prefix: '/p/', compactionIntervalMs: 0 });
  }

  /** Resolves with the next watch that is opened. */
  get nextWatch(): Promise<Stream> {
    return this.#arrived.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown();
  }

  #serve(name: string, answer: Unary): void {
    const handle = ({ request }: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) =>
      reply(null, Buffer.from(answer(request)));
    this.#server.register(`/etcdserverpb.${name}`, handle, same, same, 'unary');
  }

  #watch(call: Stream): void {
    let watches = 0;
    call.on('error', () => undefined);
    call.on('data', () => {
      if (++watches > 2) return;
      call.write(Buffer.from(WatchResponse.encode({ header, watchId: watches, created: true })));
      if (watches === 1) this.streams.push(call);
      if (watches < 2) return;
      const arrived = this.#arrived;
      this.#arrived = deferred();
      arrived.resolve(call);
    });
  }
}

function same(bytes: Buffer): Buffer {
  return bytes;
}

const key = Buffer.from('/p/a');

test.each([
  ['a message without a header', Buffer.from(WatchResponse.encode({ watchId: 1 }))],
  ['an event without a key', Buffer.from(WatchResponse.encode({ header, watchId: 1, events: [{ type: 0 }] }))],
  [
    'an event without a key of the agreed key',
    Buffer.from(WatchResponse.encode({ header, watchId: 2, events: [{ type: 0 }] })),
  ],
  [
    'a negative revision',
    Buffer.from(
      WatchResponse.encode({
        header,
        watchId: 1,
        events: [{ type: 0, kv: { key, version: 1, modRevision: 9, createRevision: -1 } }],
      }),
    ),
  ],
  ['bytes that are no message', Buffer.from('ffffffff', 'hex')],
])('a watch that sends %s is opened again', async (_what, lie) => {
  await using etcd = await LyingEtcd.start();
  await using _store = await etcd.open();
  const next = etcd.nextWatch;
  etcd.streams[0]!.write(lie);
  expect(await next).not.toBe(etcd.streams[0]);
});

test.each([
  [
    'the same page again and again',
    { key, createRevision: 3, modRevision: 3, version: 1 },
    'keys that were not asked for',
  ],
  [
    'a key of another prefix',
    { key: Buffer.from('/q/a'), createRevision: 3, modRevision: 3, version: 1 },
    'not asked for',
  ],
  ['a key from the future', { key, createRevision: 3, modRevision: 9, version: 1 }, 'impossible revisions'],
  ['a key without a version', { key, createRevision: 3, modRevision: 3, version: 0 }, 'impossible revisions'],
])('a store is not opened on an etcd that answers with %s', async (_what, kv, problem) => {
  let pages = 0;
  const range: Unary = () => {
    // Without a bound, a test that fails would not end.
    if (++pages > 100) throw new Error('it goes on for ever');
    return RangeResponse.encode({ header, kvs: [kv], more: true, count: 9 });
  };
  await using etcd = await LyingEtcd.start({ 'KV/Range': range });
  await expect(etcd.open()).rejects.toThrow(problem);
});

test('a write with a time to live is refused when etcd grants leases that are over at once', async () => {
  let granted = 0;
  const grant: Unary = () => {
    granted++;
    return messages.LeaseGrantResponse.encode({ id: 5n, ttl: granted > 1000 ? 3600 : 0 });
  };
  await using etcd = await LyingEtcd.start({ 'Lease/LeaseGrant': grant });
  await using store = await etcd.open();
  const write = store.commit([{ type: 'put', key: 'a', value: Buffer.from('1'), ttlMs: 60_000 }]);
  await expect(write).rejects.toThrow('etcd grants no lease of 60000 ms');
  expect(granted).toBeLessThan(20);
});
