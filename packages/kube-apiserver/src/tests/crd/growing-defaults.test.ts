import { realClock } from '@pintle/async';
import { longestComputation } from '@pintle/async/testing';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFINITIONS, define, until } from '../../testing/define.ts';
import { textOf } from '../../testing/open-test-server.ts';
import type { Answer, TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';
import { thing, thingDefinition, thingsAt } from '../../testing/thing-definition.ts';

/** The bound is 250 ms on an idle machine; no busy one exceeds this by accident. */
const MAX_STALL_MS = 1_000;
/** The most a request may hold: ten times the largest body, and what was garbage before. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;
const PATH = `${DEFINITIONS}/things.example.com`;
const ITEMS = 20_000;
const TOO_LARGE = 'Request entity too large: limit is 3145728';

let api: TestApi;
beforeAll(async () => {
  // Long work is done in turns, which takes a clock that goes.
  api = await openTestApi({ clock: realClock });
  await define(api, thingDefinition([{ name: 'v1' }]));
  await api.post(thingsAt('v1'), thing('v1', 'first'));
  await remove();
}, 60_000);
afterAll(() => api[Symbol.asyncDispose]());

async function remove(): Promise<void> {
  await api.delete(PATH);
  await until(api, PATH, ({ status }) => status === 404);
}

const text = (bytes: number): JsonObject => ({ type: 'string', default: 'x'.repeat(bytes) });
const list = (items: JsonValue, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more });
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const empty = (count: number, item: () => JsonValue = () => ({})): JsonValue[] => Array.from({ length: count }, item);

interface Attack {
  /** The schema of `spec.a`, and of `status.a`. */
  readonly schema: JsonObject;
  readonly value: JsonValue;
}

const attacks: readonly (readonly [what: string, attack: Attack])[] = [
  ['10 KB for every item', { schema: list(object({ a: text(10_000) })), value: empty(ITEMS) }],
  ['300 KB for every item', { schema: list(object({ a: text(300_000) })), value: empty(ITEMS) }],
  ['long names', { schema: list(object({ ['n'.repeat(10_000)]: text(1) })), value: empty(ITEMS) }],
  [
    'what JSON escapes',
    { schema: list(object({ a: { ...text(0), default: '\0'.repeat(500) } })), value: empty(ITEMS) },
  ],
  [
    'lists whose items get defaults',
    {
      schema: list(object({ l: list(object({ a: text(1_000) }), { default: empty(1_000) }) })),
      value: empty(ITEMS),
    },
  ],
  [
    'lists in lists',
    { schema: list(list(list(object({ a: text(10_000) })))), value: empty(20, () => empty(30, () => empty(30))) },
  ],
  [
    'defaults that open others',
    {
      schema: list(object({ o: object({ o: object({ a: text(10_000) }, { default: {} }) }, { default: {} }) })),
      value: empty(ITEMS),
    },
  ],
  [
    'values of a map',
    {
      schema: { type: 'object', additionalProperties: object({ a: text(10_000) }) },
      value: Object.fromEntries(Array.from({ length: ITEMS }, (_, i) => [`k${i}`, {}])),
    },
  ],
  [
    'keys that identify items',
    {
      schema: list(object({ n: { type: 'integer' }, key: text(10_000) }, { required: ['n'] }), {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['n', 'key'],
      }),
      value: Array.from({ length: ITEMS }, (_, n) => ({ n })),
    },
  ],
  ['nulls that give way', { schema: list(text(10_000)), value: empty(ITEMS, () => null) }],
  [
    'embedded objects',
    {
      schema: list(
        object(
          { a: text(10_000) },
          {
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        ),
      ),
      value: empty(10_000, () => ({ apiVersion: 'v1', kind: 'A', metadata: {} })),
    },
  ],
  [
    'many small values',
    { schema: list(object({ l: list(object({}), { default: empty(500) }) })), value: empty(ITEMS) },
  ],
];

/** Each is sent with the value that grows, to an object that has none of it yet. */
const writes: readonly (readonly [what: string, write: (value: JsonValue) => Promise<Answer>])[] = [
  ['create', (a) => api.post(thingsAt('v1'), thing('v1', 'new', { spec: { a } }))],
  ['create as a dry run', (a) => api.post(`${thingsAt('v1')}?dryRun=All`, thing('v1', 'new', { spec: { a } }))],
  ['create in another version', (a) => api.post(thingsAt('v2'), thing('v2', 'new', { spec: { a } }))],
  [
    'update',
    async (a) => {
      const { body } = await api.get(thingsAt('v1', '/web'));
      return await api.put(thingsAt('v1', '/web'), { ...body, spec: { a } });
    },
  ],
  ['merge patch', (a) => api.merge(thingsAt('v1', '/web'), { spec: { a } })],
  [
    'JSON patch',
    async (a) => {
      const headers = { 'content-type': 'application/json-patch+json' };
      const body = JSON.stringify([{ op: 'add', path: '/spec/a', value: a }]);
      const answer = await api.server.send('PATCH', thingsAt('v1', '/web'), { body, headers });
      return { status: answer.status, body: JSON.parse(await textOf(answer)), warnings: [] };
    },
  ],
  ['apply', (a) => api.apply(thingsAt('v1', '/web'), 'me', thing('v1', 'web', { spec: { a } }))],
  ['apply of a new object', (a) => api.apply(thingsAt('v1', '/new'), 'me', thing('v1', 'new', { spec: { a } }))],
  ['status', (a) => api.merge(thingsAt('v1', '/web/status'), { status: { a } })],
];

describe.each(attacks)(
  'defaults that multiply are refused while they are filled in: %s',
  (_what, { schema, value }) => {
    beforeAll(async () => {
      const part = object({ a: schema });
      const version = { schema: object({ spec: part, status: part }), subresources: { status: {} } };
      const made = await define(
        api,
        thingDefinition([
          { name: 'v1', ...version },
          { name: 'v2', ...version },
        ]),
      );
      expect(made.status).toBe(200);
      expect((await api.post(thingsAt('v1'), thing('v1', 'web', { spec: {} }))).status).toBe(201);
    });
    afterAll(remove);

    test.each(writes)('%s', async (_write, write) => {
      let answer: Answer | undefined;
      const before = process.memoryUsage().rss;
      const stallMs = await longestComputation(async () => {
        answer = await write(value);
      });
      expect([answer?.status, answer?.body.message]).toEqual([413, TOO_LARGE]);
      expect(process.memoryUsage().rss - before).toBeLessThan(MAX_MEMORY_BYTES);
      expect(stallMs).toBeLessThan(MAX_STALL_MS);
    });
  },
);

/** 1,000 items of 4 KB become 1.3 MB in 70,000 values: as much as may be kept. */
test('what grows within the limit is kept, and others go first meanwhile', async () => {
  const fields = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`name${i}`, text(8)]));
  await define(api, thingDefinition([{ name: 'v1', schema: object({ spec: object({ a: list(object(fields)) }) }) }]));
  let answer: Answer | undefined;
  let turns = 0;
  const stallMs = await longestComputation(async () => {
    const count = (): void => {
      turns++;
      if (answer === undefined) setImmediate(count);
    };
    setImmediate(count);
    answer = await api.post(thingsAt('v1'), thing('v1', 'web', { spec: { a: empty(1_000) } }));
  });
  expect(answer?.status).toBe(201);
  // The body alone is so small that nobody would be let go first.
  expect(turns).toBeGreaterThan(5);
  expect(stallMs).toBeLessThan(MAX_STALL_MS);
  await remove();
});

test('objects that later defaults make too large can be read, listed and deleted, but not written again', async () => {
  const withItems = (item: JsonObject) =>
    thingDefinition([{ name: 'v1', schema: object({ spec: object({ a: list(item) }) }) }]);
  await define(api, withItems(object({})));
  for (const name of ['one', 'two']) {
    await api.post(thingsAt('v1'), thing('v1', name, { spec: { a: empty(ITEMS) } }));
  }
  await api.merge(PATH, { spec: withItems(object({ a: text(10_000) })).spec });
  await until(api, thingsAt('v1', '/one'), ({ body }) => JSON.stringify(body).length > 1_000_000);
  const stallMs = await longestComputation(async () => {
    for (const path of [thingsAt('v1', '/one'), thingsAt('v1')]) {
      const { status, body } = await api.get(path);
      expect(status).toBe(200);
      expect(JSON.stringify(body).length).toBeLessThan(10_000_000);
    }
    expect((await api.merge(thingsAt('v1', '/one'), { metadata: { labels: { a: 'b' } } })).status).toBe(413);
    expect((await api.merge(thingsAt('v1', '/one'), { spec: { a: [] } })).status).toBe(200);
    expect((await api.delete(thingsAt('v1', '/two'))).status).toBe(200);
  });
  expect(stallMs).toBeLessThan(MAX_STALL_MS);
  await remove();
});
