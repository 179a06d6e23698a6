import { longestComputation } from '@pintle/async/testing';
import { parseShardMap, shardHash, shardSlot, slotSelector } from '@pintle/machinery/selectors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textOf } from '../../testing/open-test-server.ts';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const HALF = '0x8000000000000000';
const ALL = '0x10000000000000000';
const NONE = '0x0000000000000000';
const LOWER = `shardRange(object.metadata.uid, '${NONE}', '${HALF}')`;
const UPPER = `shardRange(object.metadata.uid, '${HALF}', '${ALL}')`;

let api: TestApi;

beforeAll(async () => {
  api = await openTestApi({ seed: 3 });
});
afterAll(() => api[Symbol.asyncDispose]());

const query = (selector: string, more = ''): string => `?shardSelector=${encodeURIComponent(selector)}${more}`;
const namesIn = ({ body }: Awaited<ReturnType<TestApi['get']>>): string[] =>
  (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

async function create(name: string, metadata: object = {}): Promise<{ uid: string }> {
  const { status, body } = await api.post(MAPS, { metadata: { name, ...metadata } });
  expect(status).toBe(201);
  return { uid: body.metadata.uid! };
}

describe('shard selectors', () => {
  beforeAll(async () => {
    for (let i = 0; i < 20; i++) await create(`map-${i}`, { labels: { even: String(i % 2 === 0) } });
  });

  test('ranges divide a list, and the answer says which part it is', async () => {
    const all = namesIn(await api.get(MAPS)).sort();
    const [lower, upper] = [await api.get(`${MAPS}${query(LOWER)}`), await api.get(`${MAPS}${query(` ${UPPER}\n`)}`)];
    expect(namesIn(lower).length).toBeGreaterThan(2);
    expect([...namesIn(lower), ...namesIn(upper)].sort()).toEqual(all);
    expect(lower.body.metadata).toMatchObject({ shardInfo: { selector: LOWER } });
    expect(upper.body.metadata).toMatchObject({ shardInfo: { selector: UPPER } });
    const both = await api.get(`${MAPS}${query(`${LOWER}||${UPPER}`)}`);
    expect(namesIn(both).sort()).toEqual(all);
    expect(both.body.metadata).toMatchObject({ shardInfo: { selector: `${LOWER} || ${UPPER}` } });
  });

  test('pages of a shard go on with its continue token, and do not tell how many are left', async () => {
    const whole = namesIn(await api.get(`${MAPS}${query(UPPER)}`));
    const found: string[] = [];
    for (let next = ''; ; ) {
      const page = await api.get(`${MAPS}${query(UPPER, `&limit=3${next && `&continue=${next}`}`)}`);
      found.push(...namesIn(page));
      const metadata = page.body.metadata as { continue?: string; remainingItemCount?: number };
      expect(metadata.remainingItemCount).toBeUndefined();
      if (!metadata.continue) break;
      next = metadata.continue;
    }
    expect(found).toEqual(whole);
  });

  test('labels, namespaces and shards combine', async () => {
    const lower = namesIn(await api.get(`${MAPS}${query(LOWER)}`));
    const even = namesIn(await api.get(`${MAPS}?labelSelector=even%3Dtrue`));
    const both = namesIn(await api.get(`${MAPS}${query(LOWER, '&labelSelector=even%3Dtrue')}`));
    expect(both).toEqual(lower.filter((name) => even.includes(name)));
    const inSlot = slotSelector('object.metadata.namespace', [shardSlot(shardHash('default'))]).toString();
    expect(namesIn(await api.get(`${MAPS}${query(inSlot)}`))).toHaveLength(20);
  });

  test('a watch sends a shard at its start, and its changes', async () => {
    const lower = namesIn(await api.get(`${MAPS}${query(LOWER)}`));
    const path = `${MAPS}${query(LOWER, '&watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true')}`;
    const { body } = await api.server.send('GET', path);
    const events = eventsOf(body as AsyncIterable<Uint8Array>);
    const initial = await events(lower.length + 1);
    expect(initial.map(([, name]) => name).slice(0, -1)).toEqual(lower);
    expect(initial.at(-1)?.[0]).toBe('BOOKMARK');
    for (let i = 0; i < 20; i++) await api.merge(`${MAPS}/map-${i}`, { data: { changed: 'yes' } });
    const mine = Array.from({ length: 20 }, (_, i) => `map-${i}`).filter((name) => lower.includes(name));
    const changed = await events(mine.length);
    expect(changed).toEqual(mine.map((name) => ['MODIFIED', name]));
  });

  test('children have the shard of their controller, also when that changes', async () => {
    const owner = '11111111-1111-1111-1111-111111111111';
    const slot = shardSlot(shardHash(owner));
    const selector = slotSelector('object.metadata.controller.uid', [slot]).toString();
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: owner, controller: true };
    await create('child', { ownerReferences: [reference] });
    await create('labelled', { labels: { 'pintle.dev/owner-uid': owner } });
    expect(namesIn(await api.get(`${MAPS}${query(selector)}`))).toEqual(expect.arrayContaining(['child', 'labelled']));
    await api.merge(`${MAPS}/child`, { metadata: { ownerReferences: null } });
    expect(namesIn(await api.get(`${MAPS}${query(selector)}`))).not.toContain('child');
  });

  test('a server without the feature ignores selectors, whatever they say', async () => {
    await using other = await openTestApi({ isShardingEnabled: false });
    const { status, body } = await other.get(`${MAPS}${query('nonsense(')}`);
    expect(status).toBe(200);
    expect(body.metadata).not.toHaveProperty('shardInfo');
  });
});

/** Texts of Kubernetes 1.36. */
test.each([
  [' ', 'empty shard selector is not allowed; omit the parameter for unfiltered lists'],
  ['object.metadata.uid', 'unexpected expression kind 7; expected shardRange() call or || operator'],
  ['1', 'unexpected expression kind 5; expected shardRange() call or || operator'],
  ["f(object.metadata.uid, '0x00', '0x80')", 'unsupported function "f"; only shardRange() and || are allowed'],
  [`${LOWER} && ${UPPER}`, 'unsupported function "_&&_"; only shardRange() and || are allowed'],
  ['has(object.metadata)', 'unsupported function "has"; only shardRange() and || are allowed'],
  ["shardRange(object.metadata.uid, '0x0')", 'shardRange() requires exactly 3 arguments, got 2'],
  [
    "shardRange('a', '0x0', '0x8')",
    'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 5',
  ],
  [
    "shardRange(object.metadata.name, '0x00', '0x80')",
    'unsupported field path "object.metadata.name"; supported: object.metadata.uid, object.metadata.namespace',
  ],
  ['shardRange(object.metadata.uid, 0, 8)', 'hexStart must be a string literal, got int64'],
  [
    "shardRange(object.metadata.uid, hex(0), '0x8')",
    "hexStart must be a string literal (e.g. '0xff'), got expression kind 1",
  ],
  [`shardRange(object.metadata.uid, '00', '${HALF}')`, `hexStart must have '0x' prefix, got "00"`],
  [`shardRange(object.metadata.uid, '0x', '${HALF}')`, "hexStart: hex value is required after '0x'"],
  [
    `shardRange(object.metadata.uid, '0x000000000000000000', '${HALF}')`,
    'hexStart: hex value too long (18 chars, max 17): "000000000000000000"',
  ],
  [`shardRange(object.metadata.uid, '0x0g', '${HALF}')`, 'hexStart: invalid hex character "g" in "0x0g"'],
  [
    `shardRange(object.metadata.uid, '${NONE}', '0xff')`,
    'hexEnd must be a 0x-prefixed 16-digit hex value, got "0xff" (did you mean "0x00000000000000ff"?)',
  ],
  [
    `shardRange(object.metadata.uid, '${NONE}', '0x20000000000000000')`,
    `hexEnd: 17-digit hex value must be '0x10000000000000000' (2^64), got "0x20000000000000000"`,
  ],
  [`shardRange(object.metadata.uid, '${HALF}', '${HALF}')`, `shard range start ${HALF} must be less than end ${HALF}`],
  [
    `${LOWER} || shardRange(object.metadata.namespace, '${HALF}', '${ALL}')`,
    'all shard ranges must use the same field, got "object.metadata.uid" and "object.metadata.namespace"',
  ],
])('the selector %j is refused as Kubernetes does', async (selector, message) => {
  for (const more of ['', '&watch=true']) {
    const { status, body } = await api.get(`${MAPS}${query(selector, more)}`);
    expect({ status, message: body.message, reason: body.reason }).toEqual({
      status: 500,
      message: `invalid shard selector: ${message}`,
      reason: undefined,
    });
  }
});

test('any number of ranges is a disjoint cover of 100,000 uids', () => {
  const hashes = Array.from({ length: 100_000 }, (_, i) => shardHash(`uid-${i}`));
  for (const count of [2, 3, 7]) {
    const parts = Array.from({ length: count }, (_, part) =>
      slotSelector(
        'object.metadata.uid',
        Array.from({ length: 256 }, (_, slot) => slot).filter((slot) => slot % count === part),
      ),
    );
    expect(hashes.every((hash) => parts.filter((part) => part.hasHash(hash)).length === 1)).toBe(true);
  }
});

describe('fences', () => {
  const MAP = 'fruits-shards';
  const write = (text: string, version?: string) => ({
    metadata: { name: MAP, labels: { 'pintle.dev/shard-map': 'fruits' }, ...(version && { resourceVersion: version }) },
    data: { slots: text },
  });
  const fenced = (fence: string) => ({ headers: { 'content-type': 'application/json', 'pintle-fence': fence } });
  const send = async (method: string, path: string, fence: string, body?: object) => {
    const response = await api.server.send(method, path, { ...fenced(fence), ...(body && { body }) });
    return { status: response.status, body: JSON.parse(await textOf(response)) };
  };

  beforeAll(async () => {
    expect((await api.post(MAPS, write('00-7f a 4\n80-ff b 2\n'))).status).toBe(201);
  });

  test('writes pass with the epoch of their slot, and are refused with any other', async () => {
    const object = { metadata: { name: 'fenced' }, data: { by: 'a' } };
    expect((await send('POST', MAPS, `default/${MAP}/17/4`, object)).status).toBe(201);
    const old = await send('PUT', `${MAPS}/fenced`, `default/${MAP}/17/3`, { ...object, data: { by: 'old' } });
    expect(old).toMatchObject({
      status: 409,
      body: { reason: 'Conflict', details: { causes: [{ reason: 'ShardFenced' }] } },
    });
    for (const fence of [`default/${MAP}/200/4`, 'default/none/17/4', 'default/map-1/17/4'])
      expect((await send('DELETE', `${MAPS}/fenced`, fence)).body.details.causes).toEqual(old.body.details.causes);
    expect(
      (await send('PUT', `${MAPS}/fenced`, `default/${MAP}/17/4`, { ...object, data: { by: 'new' } })).status,
    ).toBe(200);
    expect((await send('DELETE', `${MAPS}/fenced`, `default/${MAP}/17/4`)).status).toBe(200);
  });

  test('a write that began before a move is refused after it', async () => {
    const name = { metadata: { name: 'racing' } };
    await api.post(MAPS, name);
    const writes = Array.from({ length: 20 }, (_, i) =>
      send('PUT', `${MAPS}/racing`, `default/${MAP}/17/4`, { ...name, data: { i: String(i) } }),
    );
    const moved = api.put(`${MAPS}/${MAP}`, write('00-7f b 5\n80-ff b 2\n'));
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    const map = await moved;
    const racing = await api.get(`${MAPS}/racing`);
    expect(Number(racing.body.metadata.resourceVersion)).toBeLessThan(Number(map.body.metadata.resourceVersion));
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(
      (await send('PUT', `${MAPS}/racing`, `default/${MAP}/17/4`, { ...name, data: { late: 'yes' } })).status,
    ).toBe(409);
  });

  test('large ConfigMaps that many writes name are not read', async () => {
    const data = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, 'v']));
    const labels = { 'pintle.dev/shard-map': 'x' };
    for (let i = 0; i < 10; i++) await api.post(MAPS, { metadata: { name: `large-${i}`, labels }, data });
    const write = (_: unknown, i: number) =>
      send('POST', MAPS, `default/large-${i}/0/1`, { metadata: { name: `n-${i}` } });
    const writes = async (): Promise<void> => {
      const refused = await Promise.all(Array.from({ length: 10 }, write));
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([409]));
    };
    expect(await longestComputation(writes)).toBeLessThan(100);
  });

  test('malformed fences, and fences of the map itself, are refused', async () => {
    for (const fence of ['x', 'default/a/256/1', 'default/a/1/-1', '../a/1/1', 'default/a/1/1/1'])
      expect((await send('POST', MAPS, fence, { metadata: { name: 'bad' } })).status).toBe(400);
    expect((await send('PUT', `${MAPS}/${MAP}`, `default/${MAP}/200/2`, write('00-ff c 9\n'))).status).toBe(400);
    expect(parseShardMap('00-ff c 9\n')).toHaveLength(256);
  });
});

function eventsOf(body: AsyncIterable<Uint8Array>) {
  const iterator = body[Symbol.asyncIterator]();
  let text = '';
  return async (count: number): Promise<[string, string][]> => {
    const found: [string, string][] = [];
    while (found.length < count) {
      const end = text.indexOf('\n');
      if (end < 0) {
        const { done, value } = await iterator.next();
        if (done) break;
        text += Buffer.from(value).toString();
        continue;
      }
      const event = JSON.parse(text.slice(0, end));
      text = text.slice(end + 1);
      found.push([event.type, event.object.metadata.name]);
    }
    return found;
  };
}
