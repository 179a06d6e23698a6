import { WebhookConverter } from '@pintle/apiextensions/testing';
import { WebhookClient } from '@pintle/apiserver/webhook';
import { deferred, realClock, systemRandom } from '@pintle/async';
import { longestComputation } from '@pintle/async/testing';
import type { KubernetesObject } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import { expect, test } from 'vitest';
import { define } from '../../testing/define.ts';
import type { WebhookAnswer } from '../../testing/open-webhook.ts';
import { openWebhook } from '../../testing/open-webhook.ts';
import { openTestApi } from '../../testing/test-api.ts';
import { convertedThings } from '../../testing/thing-definition.ts';

const at = (version: string, rest = '') => `/apis/example.com/${version}/namespaces/default/things${rest}`;
const thing = (name: string, spec: object = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name },
  spec,
});
interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly KubernetesObject[];
  };
}

/** A review whose objects are given as JSON. */
function reviewOf(body: JsonObject, objects: (converted: KubernetesObject[]) => string): WebhookAnswer {
  const { apiVersion, kind, request } = body as unknown as Review;
  const converted = request.objects.map((object) => ({ ...object, apiVersion: request.desiredAPIVersion }));
  const head = JSON.stringify({ apiVersion, kind }).slice(0, -1);
  const response = `{"uid":"${request.uid}","result":{"status":"Success"},"convertedObjects":${objects(converted)}}`;
  return { statusCode: 200, text: `${head},"response":${response}}` };
}

async function openThings(answer: (body: JsonObject) => WebhookAnswer | Promise<WebhookAnswer>) {
  const hook = await openWebhook(answer);
  const api = await openTestApi({ clock: realClock });
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

const MB = 1024 * 1024;

test.each<[string, () => string]>([
  ['millions of empty objects', () => `[${Array.from({ length: 4_000_000 }, () => '{}').join()}]`],
  ['one object of millions of fields', () => `[{"a":[${Array.from({ length: 4_000_000 }, () => '{"a":1}').join()}]}]`],
  ['more bytes than anybody asked for', () => `["${'x'.repeat(40 * MB)}"]`],
])(
  'a webhook that answers with %s does not hold others up',
  async (_what, objects) => {
    const text = objects();
    await using it = await openThings((body) => reviewOf(body, () => text));
    await it.api.post(at('v1'), thing('a'));
    const stallMs = await longestComputation(async () => {
      const { status, body } = await it.api.get(at('v2', '/a'));
      expect(status).toBe(500);
      expect(body.message).toMatch(/response is longer|too many/i);
    });
    expect(stallMs).toBeLessThan(500);
  },
  60_000,
);

/** An object of so many values, none of which its request had. */
const wide = (object: KubernetesObject | undefined, values: number) => ({
  ...object,
  spec: Object.fromEntries(Array.from({ length: values }, (_, i) => [`k${i}`, i])),
});

test('a webhook answers with no wider object than a request may carry', async () => {
  await using it = await openThings((body) => reviewOf(body, ([object]) => JSON.stringify([wide(object, 100_000)])));
  await it.api.post(at('v1'), thing('a'));
  const { status, body } = await it.api.get(at('v2', '/a'));
  expect(status).toBe(500);
  expect(body.message).toMatch(/more than \d+ structural tokens/);
});

test('a webhook that answers with objects as wide as they may be does not hold others up', async () => {
  await using it = await openThings((body) =>
    reviewOf(body, (converted) => JSON.stringify(converted.map((object) => wide(object, 80_000)))),
  );
  // None fits into a question with another one.
  for (const name of ['a', 'b', 'c', 'd']) {
    expect((await it.api.post(at('v1'), thing(name, { text: 'x'.repeat(600_000) }))).status).toBe(201);
  }
  const table = { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } };
  for (const read of [
    () => it.api.get(at('v2', '/a')),
    () => it.api.get(at('v2')),
    () => it.api.get(at('v2'), table),
  ]) {
    const stallMs = await longestComputation(async () => expect((await read()).status).toBe(200));
    expect(stallMs).toBeLessThan(250);
  }
}, 60_000);

test('a long list asks a webhook a few questions at a time', async () => {
  const few = deferred<void>();
  const release = deferred<void>();
  let asked = 0;
  await using hook = await openWebhook(async (body) => {
    if (++asked === 8) few.resolve();
    await release.promise;
    return reviewOf(body, (converted) => JSON.stringify(converted));
  });
  await using client = new WebhookClient({ clock: realClock });
  const { conversion } = convertedThings(hook).spec;
  const converter = new WebhookConverter(conversion.webhook, client, systemRandom);
  // Two of them do not fit into one question.
  const objects = Array.from({ length: 20 }, (_, i) => thing(`t${i}`, { text: 'x'.repeat(600_000) }));
  const converting = converter.convertAll(objects, 'example.com/v2');
  await few.promise;
  for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toBe(8);
  release.resolve();
  const names = (await converting).map(({ metadata }) => metadata.name);
  expect(names).toEqual(objects.map(({ metadata }) => metadata.name));
}, 60_000);

test.each<[string, (body: JsonObject) => WebhookAnswer]>([
  [
    'a refusal',
    (body) => {
      const { apiVersion, kind, request } = body as unknown as Review;
      const result = { status: 'Failure', message: 'no '.repeat(MB) };
      return { apiVersion, kind, response: { uid: request.uid, result } } as unknown as JsonObject;
    },
  ],
  ['an object without a kind', (body) => reviewOf(body, () => JSON.stringify([{ text: 'x'.repeat(MB) }]))],
  [
    'labels that are none',
    (body) =>
      reviewOf(body, ([object]) => {
        const labels = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`-${i}-`, '-']));
        return JSON.stringify([{ ...object, metadata: { ...object!.metadata, labels } }]);
      }),
  ],
])('%s of a webhook is told to the client in a few words, however long it is', async (_what, answer) => {
  await using it = await openThings(answer);
  await it.api.post(at('v1'), thing('a'));
  const { status, body } = await it.api.get(at('v2', '/a'));
  expect(status).toBe(500);
  expect(String(body.message).length).toBeLessThan(10_000);
});

test('a webhook that never answers holds up nobody but those who ask for its version', async () => {
  const asked = deferred<void>();
  const never = new Promise<WebhookAnswer>(() => undefined);
  await using it = await openThings(() => {
    asked.resolve();
    return never;
  });
  await it.api.post(at('v1'), thing('a'));
  const waiting = it.api.get(at('v2'));
  waiting.catch(() => undefined);
  await asked.promise;
  expect((await it.api.get(at('v1'))).status).toBe(200);
  expect((await it.api.get('/api/v1/namespaces/default/configmaps')).status).toBe(200);
  expect((await it.api.delete(at('v1', '/a'))).status).toBe(200);
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com';
  expect((await it.api.delete(path)).status).toBe(200);
});
