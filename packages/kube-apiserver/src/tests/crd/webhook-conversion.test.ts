import type { KubernetesObject } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import { expect, test } from 'vitest';
import { openHooked, patchOf } from '../../testing/admission-hook.ts';
import { define } from '../../testing/define.ts';
import { textOf } from '../../testing/open-test-server.ts';
import type { WebhookAnswer } from '../../testing/open-webhook.ts';
import { openWebhook } from '../../testing/open-webhook.ts';
import type { TestApi } from '../../testing/test-api.ts';
import { openTestApi } from '../../testing/test-api.ts';
import { convertedThings } from '../../testing/thing-definition.ts';

const at = (version: string, rest = '') => `/apis/example.com/${version}/namespaces/default/things${rest}`;

type Thing = KubernetesObject & { spec?: { size?: number; dimensions?: { size: number } } };
interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Thing[] };
}

/** `spec.size` of v1 is `spec.dimensions.size` in v2. */
function convert(thing: Thing, apiVersion: string): Thing {
  const size = thing.spec?.size ?? thing.spec?.dimensions?.size ?? 0;
  return { ...thing, apiVersion, spec: apiVersion.endsWith('/v2') ? { dimensions: { size } } : { size } };
}

function answerTo(body: JsonObject): JsonObject {
  const { apiVersion, kind, request } = body as unknown as Review;
  const convertedObjects = request.objects.map((thing) => convert(thing, request.desiredAPIVersion));
  const response = { uid: request.uid, result: { status: 'Success' }, convertedObjects };
  return { apiVersion, kind, response } as unknown as JsonObject;
}

async function openThings(answer: (body: JsonObject) => WebhookAnswer = answerTo) {
  const hook = await openWebhook(answer);
  const api = await openTestApi();
  await define(api, convertedThings(hook));
  return {
    hook,
    api,
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      await hook[Symbol.asyncDispose]();
    },
  };
}

const thing = (version: string, name: string, spec: object) => ({
  apiVersion: `example.com/${version}`,
  kind: 'Thing',
  metadata: { name },
  spec,
});

async function create(api: TestApi, name: string, size: number): Promise<void> {
  expect(await api.post(at('v1'), thing('v1', name, { size }))).toMatchObject({ status: 201 });
}

test('every verb speaks the version of its address', async () => {
  await using it = await openThings();
  const { api } = it;
  const made = await api.post(at('v2'), thing('v2', 'one', { dimensions: { size: 3 } }));
  expect(made).toMatchObject({
    status: 201,
    body: { apiVersion: 'example.com/v2', spec: { dimensions: { size: 3 } } },
  });
  expect((await api.get(at('v1', '/one'))).body.spec).toEqual({ size: 3 });
  expect((await api.get(at('v2', '/one'))).body.spec).toEqual({ dimensions: { size: 3 } });
  expect((await api.merge(at('v2', '/one'), { spec: { dimensions: { size: 4 } } })).body.spec).toEqual({
    dimensions: { size: 4 },
  });
  const current = await api.get(at('v2', '/one'));
  const put = await api.put(at('v2', '/one'), { ...current.body, spec: { dimensions: { size: 5 } } });
  expect(put.body).toMatchObject({ spec: { dimensions: { size: 5 } }, metadata: { generation: 3 } });
  expect((await api.get(at('v1'))).body.items).toMatchObject([{ apiVersion: 'example.com/v1', spec: { size: 5 } }]);
  expect((await api.delete(at('v2', '/one'))).status).toBe(200);
});

test('an update that cannot be converted is refused for that, not for its version', async () => {
  const isBack = (body: JsonObject) => (body as unknown as Review).request.desiredAPIVersion.endsWith('/v1');
  await using it = await openThings((body) => (isBack(body) ? { statusCode: 500, text: 'boom' } : answerTo(body)));
  await create(it.api, 'one', 3);
  const { body } = await it.api.put(at('v2', '/one'), thing('v2', 'one', {}));
  expect(body.message).toContain('conversion webhook for example.com/v2, Kind=Thing failed');
});

test('a list is converted in one question', async () => {
  await using it = await openThings();
  for (const n of [1, 2, 3]) await create(it.api, `t${n}`, n);
  const before = it.hook.calls.length;
  const { body } = await it.api.get(at('v2'));
  expect(body.items).toMatchObject([1, 2, 3].map((size) => ({ spec: { dimensions: { size } } })));
  expect(it.hook.calls.length - before).toBe(1);
});

test('what is in the wanted version already is never asked about', async () => {
  await using it = await openThings();
  await create(it.api, 'one', 1);
  await it.api.get(at('v1', '/one'));
  await it.api.get(at('v1'));
  expect(it.hook.calls).toEqual([]);
});

test('each watcher sees its own version', async () => {
  await using it = await openThings();
  const stop = new AbortController();
  const streams = ['v1', 'v2'].map((version) =>
    it.api.server.send('GET', `${at(version)}?watch=1&resourceVersion=0`, { signal: stop.signal }),
  );
  const [first, second] = await Promise.all(
    streams.map(async (answer) => (await answer).body as AsyncIterable<Uint8Array>),
  );
  const next = async (body: AsyncIterable<Uint8Array>): Promise<unknown> => {
    for await (const chunk of body) return JSON.parse(Buffer.from(chunk).toString());
    return undefined;
  };
  const seen = [next(first!), next(second!)];
  await create(it.api, 'one', 7);
  expect(await Promise.all(seen)).toMatchObject([
    { type: 'ADDED', object: { apiVersion: 'example.com/v1', spec: { size: 7 } } },
    { type: 'ADDED', object: { apiVersion: 'example.com/v2', spec: { dimensions: { size: 7 } } } },
  ]);
  stop.abort();
});

test('a webhook that fails fails reads and writes of its version, and the watch says why', async () => {
  let isBroken = false;
  const refuse = (body: JsonObject): WebhookAnswer => {
    const answer = answerTo(body);
    return isBroken
      ? { ...answer, response: { ...(answer.response as JsonObject), result: { status: 'Failure', message: 'no' } } }
      : answer;
  };
  await using it = await openThings(refuse);
  await create(it.api, 'one', 1);
  isBroken = true;
  const why = (version: string) => `conversion webhook for example.com/${version}, Kind=Thing failed: no`;
  for (const path of ['', '/one']) {
    expect(await it.api.get(at('v2', path))).toMatchObject({ status: 500, body: { message: why('v1') } });
  }
  const made = await it.api.post(at('v2'), thing('v2', 'two', {}));
  expect(made).toMatchObject({ status: 500, body: { message: why('v2') } });
  const watched = await it.api.server.send('GET', `${at('v2')}?watch=1&resourceVersion=0`);
  expect(JSON.parse(await textOf(watched))).toMatchObject({ type: 'ERROR', object: { code: 500, message: why('v1') } });
  expect((await it.api.get(at('v1', '/one'))).status).toBe(200);
  isBroken = false;
  expect((await it.api.get(at('v2', '/one'))).status).toBe(200);
});

test('lists and watches show what was said of an object when it was first asked about; reading it asks again', async () => {
  let isBroken = false;
  await using it = await openThings((body) => (isBroken ? { statusCode: 500, text: '' } : answerTo(body)));
  await create(it.api, 'one', 1);
  await it.api.get(at('v2', '/one'));
  isBroken = true;
  expect((await it.api.get(at('v2', '/one'))).status).toBe(500);
  const shown = { spec: { dimensions: { size: 1 } } };
  expect((await it.api.get(at('v2'))).body.items).toMatchObject([shown]);
  expect((await it.api.get(at('v2', '/one?resourceVersion=0'))).body).toMatchObject(shown);
  // The object is known as it is; it is what comes of it that cannot be written.
  expect(await it.api.merge(at('v2', '/one'), { spec: { dimensions: { size: 2 } } })).toMatchObject({
    status: 500,
    body: { message: expect.stringContaining('conversion webhook for example.com/v2, Kind=Thing failed') },
  });
  await it.api.merge(at('v1', '/one'), { spec: { size: 3 } });
  expect((await it.api.get(at('v2'))).status).toBe(500);
});

test.each([
  ['v2', 'v1', { spec: { dimensions: { size: 7 } } }],
  ['v1', 'v2', { spec: { size: 7 } }],
])(
  'a change in %s that a webhook sees in %s is written, and nothing else is remembered',
  async (asked, seen, change) => {
    await using converter = await openWebhook(answerTo);
    await using hooked = await openHooked(() =>
      patchOf({ op: 'add', path: '/metadata/labels', value: { seen: 'yes' } }),
    );
    const { api } = hooked;
    await define(api, convertedThings(converter));
    await create(api, 'a', 3);
    const sizes = async () => {
      const [one, two] = [await api.get(at('v1', '/a')), await api.get(at('v2'))];
      const [listed] = (two.body as unknown as { items: Thing[] }).items;
      return [(one.body as unknown as Thing).spec?.size, listed?.spec?.dimensions?.size];
    };
    expect(await sizes()).toEqual([3, 3]);
    const rules = [{ apiGroups: ['example.com'], apiVersions: [seen], operations: ['UPDATE'], resources: ['things'] }];
    await hooked.register('Mutating', 'labels', { rules });
    expect(await api.merge(at(asked, '/a?dryRun=All'), change)).toMatchObject({ status: 200, body: change });
    expect(await sizes()).toEqual([3, 3]);
    expect(await api.merge(at(asked, '/a'), change)).toMatchObject({
      status: 200,
      body: { ...change, metadata: { labels: { seen: 'yes' } } },
    });
    expect(await sizes()).toEqual([7, 7]);
  },
);

test('what a dry run would have written is not remembered', async () => {
  await using it = await openThings();
  await create(it.api, 'one', 1);
  await it.api.get(at('v2'));
  await it.api.merge(at('v2', '/one?dryRun=All'), { spec: { dimensions: { size: 2 } } });
  expect((await it.api.get(at('v2'))).body.items).toMatchObject([{ spec: { dimensions: { size: 1 } } }]);
});

test('a long list fails as a whole, not in the middle', async () => {
  let asked = 0;
  await using it = await openThings((body) => (asked++ < 1 ? answerTo(body) : { statusCode: 500, text: '' }));
  const padding = 'x'.repeat(900_000);
  for (const name of ['a', 'b', 'c', 'd']) {
    const made = await it.api.post(at('v1'), { ...thing('v1', name, { size: 1 }), padding });
    expect(made.status).toBe(201);
  }
  expect(await it.api.get(at('v2'))).toMatchObject({
    status: 500,
    body: { message: expect.stringContaining('conversion webhook for example.com/v1, Kind=Thing failed') },
  });
});

test('a webhook of the beta review is asked in its words', async () => {
  await using hook = await openWebhook(answerTo);
  await using api = await openTestApi();
  await define(api, convertedThings(hook, ['v3', 'v1beta1', 'v1']));
  await create(api, 'one', 1);
  expect((await api.get(at('v2', '/one'))).body.spec).toEqual({ dimensions: { size: 1 } });
  expect(hook.calls[0]).toMatchObject({ apiVersion: 'apiextensions.k8s.io/v1beta1', kind: 'ConversionReview' });
});
