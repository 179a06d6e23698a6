import { deferred } from '@pintle/async';
import { expect, test } from 'vitest';
import type { ApiResponse } from '../request/exchange.ts';
import { textResponse } from '../request/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import { flowStage } from './flow-control.ts';

const JANE = { username: 'jane', groups: ['system:authenticated'] };
const JOE = { username: 'joe', groups: [] };
const ADMIN = { username: 'admin', groups: ['system:masters'] };

function state(verb: string, user = JANE, signal = new AbortController().signal, query = ''): RequestState {
  const info = { kind: 'resource', verb, subresource: '' };
  const request = { signal, peer: { address: '10.0.0.1' } };
  return { info, user, request, query: new URLSearchParams(query) } as unknown as RequestState;
}

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield new Uint8Array(1);
}

const watchResponse = (): ApiResponse => ({ status: 200, headers: {}, body: endless() });

test('a request beyond the limit is turned away with 429 and told to come back', async () => {
  const stage = flowStage({ maxReadOnly: 1, maxMutating: 1 });
  const held = deferred<ApiResponse>();
  const first = stage(state('get'), () => held.promise);

  const refused = await stage(state('list'), async () => textResponse(200, 'unreachable'));
  expect(refused.status).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  expect(Buffer.from(refused.body as Uint8Array).toString()).toBe('Too many requests, please try again later.\n');

  expect((await stage(state('create'), async () => textResponse(201, ''))).status).toBe(201);
  expect((await stage(state('get', ADMIN), async () => textResponse(200, ''))).status).toBe(200);
  held.resolve(textResponse(200, ''));
  await first;
  expect((await stage(state('get'), async () => textResponse(200, ''))).status).toBe(200);
});

test('a request that fails gives its seat back', async () => {
  const stage = flowStage({ maxMutating: 1 });
  for (let i = 0; i < 3; i++) {
    await expect(stage(state('create'), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  }
});

test('watches count for their user until they end, however they end', async () => {
  const stage = flowStage({ maxWatchesPerUser: 1, maxReadOnly: 0 });
  const gone = new AbortController();
  const first = await stage(state('watch', JANE, gone.signal), async () => watchResponse());
  expect(first.status).toBe(200);
  expect((await stage(state('watch'), async () => watchResponse())).status).toBe(429);
  expect((await stage(state('watch', JOE), async () => watchResponse())).status).toBe(200);

  gone.abort();
  const second = await stage(state('watch'), async () => watchResponse());
  expect(second.status).toBe(200);
  await (second.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.();
  expect((await stage(state('watch'), async () => watchResponse())).status).toBe(200);
});

const statusOfWatch = async (stage: ReturnType<typeof flowStage>, username: string): Promise<number> =>
  (await stage(state('watch', { username, groups: ['system:authenticated'] }), async () => watchResponse())).status;

async function watchAll(stage: ReturnType<typeof flowStage>, username: string): Promise<number> {
  let held = 0;
  while ((await statusOfWatch(stage, username)) === 200) held++;
  return held;
}

test('service accounts of one namespace hold no more watches together than one user', async () => {
  const stage = flowStage();
  expect(await watchAll(stage, 'system:serviceaccount:team:a')).toBe(3_000);
  for (const name of ['b', 'c', 'd', 'e']) {
    expect(await statusOfWatch(stage, `system:serviceaccount:team:${name}`)).toBe(429);
  }
  expect(await statusOfWatch(stage, 'system:serviceaccount:other:a')).toBe(200);
});

test('clients that hold all the watches that they may leave some to a newcomer', async () => {
  const stage = flowStage();
  const held: number[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) held.push(await watchAll(stage, name));
  expect(held).toEqual([3_000, 2_400, 1_920, 1_536, 1_228]);
  expect(await watchAll(stage, 'newcomer')).toBe(983);
});

test.each(['labelSelector', 'fieldSelector', 'shardSelector'])(
  'a watch with a long %s counts as one watch more for each 256 characters of it, until it ends',
  async (selector) => {
    const stage = flowStage();
    const end = new AbortController();
    const open = async (user: typeof JANE, length: number): Promise<number> => {
      const query = `${selector}=${'a'.repeat(length)}`;
      return (await stage(state('watch', user, end.signal, query), async () => watchResponse())).status;
    };
    for (let held = 0; held < 93; held++) expect(await open(JANE, 8_000)).toBe(200);
    expect(await open(JANE, 8_000)).toBe(429);
    for (let held = 93 * 32; held < 3_000; held++) expect(await open(JANE, 255)).toBe(200);
    expect(await open(JANE, 0)).toBe(429);
    end.abort();
    expect(await open(JANE, 8_000)).toBe(200);
  },
);

test('a long answer keeps its seat until the client has taken it; in process it is taken at once', async () => {
  const stage = flowStage({ maxReadOnly: 1 });
  const long = async (): Promise<ApiResponse> => ({ status: 200, headers: {}, body: Buffer.alloc(1_000_000) });
  for (let i = 0; i < 2; i++) expect((await stage(state('list'), long)).status).toBe(200);

  let take = (): void => {};
  const onTaken = (callback: () => void): void => {
    take = callback;
  };
  const remote = state('list');
  await stage({ ...remote, request: { ...remote.request, onTaken } }, long);
  expect((await stage(state('get'), long)).status).toBe(429);
  take();
  expect((await stage(state('get'), long)).status).toBe(200);
});
