import type { JsonObject } from '@pintle/machinery/json';
import type { Revision } from '@pintle/store';
import { describe, expect, test } from 'vitest';
import { openTestServer, type TestServer, textOf } from '../../testing/open-test-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LAMPS = '/apis/example.com/v1/namespaces/default/lamps';

function lampDefinition(spec: JsonObject = { type: 'object', properties: { watts: { type: 'integer', minimum: 1 } } }) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'lamps.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'lamps', kind: 'Lamp' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec, status: { type: 'object', properties: { lit: { type: 'boolean' } } } },
            },
          },
        },
      ],
    },
  };
}

const lamp = (name: string, spec: JsonObject) => ({
  apiVersion: 'example.com/v1',
  kind: 'Lamp',
  metadata: { name },
  spec,
});

async function ask(api: TestServer, method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await api.send(method, path, {
    ...(body && { body }),
    headers: { 'content-type': 'application/json', ...headers },
  });
  const text = await textOf(response);
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** Follows the definition until it has the condition, as a client would. */
async function established(api: TestServer, after: Revision): Promise<void> {
  for await (const { events } of api.store.watch({ start: 'apiextensions.k8s.io/' }, { after })) {
    for (const event of events) {
      if (event.type === 'put' && Buffer.from(event.record.value).includes('"the initial names have been accepted"'))
        return;
    }
  }
}

async function withLamps(spec?: JsonObject): Promise<TestServer> {
  const api = await openTestServer();
  const before = api.store.revision;
  expect((await ask(api, 'POST', DEFINITIONS, lampDefinition(spec))).status).toBe(201);
  await established(api, before);
  return api;
}

describe('a custom resource', () => {
  test('is not patched into another type, but for the status, where that does not count', async () => {
    await using api = await withLamps();
    await ask(api, 'POST', LAMPS, lamp('desk', { watts: 5 }));
    const patch = async (body: object, path = `${LAMPS}/desk`, type = 'merge') => {
      const answer = await ask(api, 'PATCH', path, body, { 'content-type': `application/${type}-patch+json` });
      return answer.body.message ?? answer.body.apiVersion;
    };
    const mustBe = 'apiVersion: Invalid value: "apps/v1": must be example.com/v1';
    expect(await patch({ apiVersion: 'apps/v1' })).toBe(`Lamp.apps "desk" is invalid: ${mustBe}`);
    expect(await patch({ apiVersion: 'apps/v1', kind: 'Torch' })).toBe(
      `Torch.apps "desk" is invalid: [kind: Invalid value: "Torch": must be Lamp, ${mustBe}]`,
    );
    expect(await patch({ apiVersion: null })).toBe(
      "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
    );
    expect(await patch([{ op: 'replace', path: '/apiVersion', value: null }], `${LAMPS}/desk`, 'json')).toMatch(
      /: .apiVersion accessor error: <nil> is of the type <nil>, expected string$/,
    );
    expect(await patch({ apiVersion: 'apps/v1', kind: 'Torch' }, `${LAMPS}/desk/status`)).toBe('example.com/v1');
  });

  test('of another kind is refused for that only where an object would be judged', async () => {
    await using api = await withLamps();
    const torch = { ...lamp('desk', { watts: 5, colour: 'red' }), kind: 'Torch' };
    const said = async (method: string, path: string, body: object) =>
      (await ask(api, method, path, body)).body.message;
    expect(await said('PUT', `${LAMPS}/desk`, torch)).toBe('lamps.example.com "desk" not found');
    expect(await said('PUT', `${LAMPS}/hall`, torch)).toMatch(/^the name of the object \(desk\) does not match/);
    const mustBe = 'Torch.example.com "desk" is invalid: kind: Invalid value: "Torch": must be Lamp';
    expect(await said('POST', `${LAMPS}?fieldValidation=Strict`, torch)).toBe(mustBe);
    const { metadata } = (await ask(api, 'POST', LAMPS, lamp('desk', { watts: 5 }))).body;
    expect(await said('PUT', `${LAMPS}/desk`, torch)).toContain('must be specified for an update');
    expect(await said('PUT', `${LAMPS}/desk`, { ...torch, metadata })).toBe(mustBe);
  });

  test('that does not say what it is is quoted as it was sent', async () => {
    await using api = await withLamps();
    const said = async (body: string, type = 'yaml') => {
      const headers = { 'content-type': `application/${type}` };
      return JSON.parse(await textOf(await api.send('POST', LAMPS, { headers, body }))).message;
    };
    const must = 'the object provided is unrecognized (must be of type Lamp): ';
    expect(await said('a: &x b\n')).toBe(`${must}Object 'Kind' is missing in 'a: &x b\n' (613a20267820620a)`);
    expect(await said('{ "kind" : null }', 'json')).toContain(`is missing in '{ "kind" : null }' ({ "kind" : null })`);
    expect(await said('{"kind":"Lamp","apiVersion":"a/b/c"}')).toBe(
      `${must}unexpected GroupVersion string: a/b/c ({"kind":"Lamp","apiVersion":"a ...)`,
    );
  });

  test('can be used the moment its definition is established', async () => {
    await using api = await withLamps();
    const created = await ask(api, 'POST', LAMPS, lamp('desk', { watts: 40, colour: 'red' }));
    expect(created).toMatchObject({ status: 201, body: { metadata: { generation: 1 }, spec: { watts: 40 } } });
    expect(created.body.spec).not.toHaveProperty('colour');
    expect(await ask(api, 'GET', '/apis/example.com/v1')).toMatchObject({
      status: 200,
      body: { resources: [{ name: 'lamps' }, { name: 'lamps/status' }] },
    });
  });

  test('is refused where it does not fit its schema', async () => {
    await using api = await withLamps();
    const refused = await ask(api, 'POST', LAMPS, lamp('desk', { watts: 0 }));
    expect(refused).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', details: { causes: [{ field: 'spec.watts' }] } },
    });
  });

  test('keeps status and spec apart, and counts generations of the spec', async () => {
    await using api = await withLamps();
    await ask(api, 'POST', LAMPS, lamp('desk', { watts: 40 }));
    const patch = { 'content-type': 'application/merge-patch+json' };
    const lit = await ask(api, 'PATCH', `${LAMPS}/desk/status`, { status: { lit: true }, spec: { watts: 1 } }, patch);
    expect(lit.body).toMatchObject({ spec: { watts: 40 }, status: { lit: true }, metadata: { generation: 1 } });
    const brighter = await ask(api, 'PATCH', `${LAMPS}/desk`, { status: { lit: false }, spec: { watts: 60 } }, patch);
    expect(brighter.body).toMatchObject({ spec: { watts: 60 }, status: { lit: true }, metadata: { generation: 2 } });
  });

  /** Changes the schema, and waits until objects are shown by it: the server follows definitions in turns. */
  async function redefine(api: TestServer, spec: JsonObject, isShown: (spec: JsonObject) => boolean) {
    const current = await ask(api, 'GET', `${DEFINITIONS}/lamps.example.com`);
    const next = lampDefinition(spec);
    const { resourceVersion } = current.body.metadata;
    const update = await ask(api, 'PUT', `${DEFINITIONS}/lamps.example.com`, {
      ...next,
      metadata: { ...next.metadata, resourceVersion },
    });
    expect(update.status).toBe(200);
    const shown = async () => (await ask(api, 'GET', `${LAMPS}/desk`)).body.spec;
    for (let turn = 0; turn < 100 && !isShown(await shown()); turn++) await new Promise(setImmediate);
    return await shown();
  }

  test('has no owners any longer once its status is written where it does not fit the version they own it in', async () => {
    const definition = lampDefinition();
    const [v1] = definition.spec.versions;
    const dim = { type: 'object', properties: { dim: { type: 'boolean' } } };
    const dimmed = { type: 'object', properties: { spec: { type: 'object' }, status: dim } };
    const v2 = { ...v1!, name: 'v2', storage: false, schema: { openAPIV3Schema: dimmed } };
    await using api = await openTestServer();
    const before = api.store.revision;
    await ask(api, 'POST', DEFINITIONS, { ...definition, spec: { ...definition.spec, versions: [v1, v2] } });
    await established(api, before);
    const inV2 = LAMPS.replace('v1', 'v2');
    await ask(api, 'POST', inV2, { ...lamp('desk', {}), apiVersion: 'example.com/v2' });
    const merge = { 'content-type': 'application/merge-patch+json' };
    const lit = await ask(api, 'PATCH', `${LAMPS}/desk/status`, { status: { lit: true } }, merge);
    expect(lit).toMatchObject({ status: 200, body: { status: { lit: true } } });
    expect(lit.body.metadata).not.toHaveProperty('managedFields');
  });

  test('stays as it is when what is applied is there already, whatever defaults the version has', async () => {
    const definition = lampDefinition();
    const [v1] = definition.spec.versions;
    const spec = {
      type: 'object',
      properties: { watts: { type: 'integer' }, hue: { type: 'string', default: 'red' } },
    };
    const v2 = {
      ...v1!,
      name: 'v2',
      storage: false,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    };
    await using api = await openTestServer();
    const before = api.store.revision;
    await ask(api, 'POST', DEFINITIONS, { ...definition, spec: { ...definition.spec, versions: [v1, v2] } });
    await established(api, before);
    await ask(api, 'POST', LAMPS, lamp('desk', { watts: 40 }));
    const inV2 = `${LAMPS.replace('v1', 'v2')}/desk`;
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const desk = { ...lamp('desk', { watts: 40 }), apiVersion: 'example.com/v2' };
    const applied = await ask(api, 'PATCH', `${inV2}?fieldManager=m`, desk, apply);
    expect(applied).toMatchObject({ status: 200, body: { metadata: { generation: 1 } } });
    const merge = { 'content-type': 'application/merge-patch+json' };
    const labelled = await ask(api, 'PATCH', inV2, { metadata: { labels: { a: 'b' } } }, merge);
    expect(labelled).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
  });

  test('has no nulls in a version that does not allow them', async () => {
    const definition = lampDefinition();
    const [v1] = definition.spec.versions;
    const specOf = (nullable: boolean) => ({ type: 'object', properties: { hue: { type: 'string', nullable } } });
    const inVersion = (name: string, nullable: boolean) => ({
      ...v1!,
      name,
      storage: nullable,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: specOf(nullable) } } },
    });
    await using api = await openTestServer();
    const before = api.store.revision;
    const versions = [inVersion('v1', true), inVersion('v2', false)];
    await ask(api, 'POST', DEFINITIONS, { ...definition, spec: { ...definition.spec, versions } });
    await established(api, before);
    await ask(api, 'POST', LAMPS, lamp('desk', { hue: null }));
    expect((await ask(api, 'GET', `${LAMPS}/desk`)).body.spec).toEqual({ hue: null });
    expect((await ask(api, 'GET', `${LAMPS.replace('v1', 'v2')}/desk`)).body.spec).toEqual({});
  });

  test('is shown in a version that embeds objects if they have metadata there', async () => {
    const definition = lampDefinition();
    const [v1] = definition.spec.versions;
    const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const bulbs = { type: 'object', properties: { bulb: { ...anything, 'x-kubernetes-embedded-resource': true } } };
    const inVersion = (name: string, spec: object, storage: boolean) => ({
      ...v1!,
      name,
      storage,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    });
    await using api = await openTestServer();
    const before = api.store.revision;
    const versions = [inVersion('v1', anything, true), inVersion('v2', bulbs, false)];
    await ask(api, 'POST', DEFINITIONS, { ...definition, spec: { ...definition.spec, versions } });
    await established(api, before);
    const bulb = (metadata: JsonObject): JsonObject => ({ bulb: { apiVersion: 'v1', kind: 'Bulb', metadata } });
    await ask(api, 'POST', LAMPS, lamp('desk', bulb({ name: 'b', colour: 'red' })));
    await ask(api, 'POST', LAMPS, lamp('floor', bulb({ name: 5 })));
    const inV2 = LAMPS.replace('v1', 'v2');
    expect(await ask(api, 'GET', inV2)).toMatchObject({ status: 500 });
    expect((await ask(api, 'GET', `${inV2}/desk`)).body.spec).toEqual(bulb({ name: 'b' }));
    expect(await ask(api, 'GET', `${inV2}/floor`)).toMatchObject({
      status: 500,
      body: {
        message:
          'spec.bulb.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
      },
    });
  });

  test('has no metadata in an embedded object where null stood for a part that its schema describes', async () => {
    const anything = { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
    const free = { type: 'object', ...anything };
    const properties = { bulb: { ...free, properties: { metadata: { type: 'object' } } }, free };
    await using api = await withLamps({ type: 'object', properties });
    const bulb = { apiVersion: 'v1', kind: 'Bulb' };
    const sent = lamp('desk', { bulb: { ...bulb, metadata: null }, free: { ...bulb, metadata: null } });
    const { body } = await ask(api, 'POST', LAMPS, sent);
    expect(body.spec).toEqual({ bulb, free: { ...bulb, metadata: {} } });
  });

  test('gets defaults that were added after it was written', async () => {
    await using api = await withLamps();
    await ask(api, 'POST', LAMPS, lamp('desk', { watts: 40 }));
    const properties = { watts: { type: 'integer' }, shade: { type: 'string', default: 'paper' } };
    const shown = await redefine(api, { type: 'object', properties }, ({ shade }) => shade !== undefined);
    expect(shown).toEqual({ watts: 40, shade: 'paper' });
  });

  test('loses what is no metadata where an embedded object was declared after it was written', async () => {
    await using api = await withLamps({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
    const bulb = { apiVersion: 'v1', kind: 'Bulb', metadata: { name: 'b', colour: 'red' } };
    await ask(api, 'POST', LAMPS, lamp('desk', { bulb }));
    const anything = { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
    const properties = { bulb: { type: 'object', ...anything }, watts: { type: 'integer', default: 1 } };
    const shown = await redefine(api, { type: 'object', properties }, ({ watts }) => watts !== undefined);
    expect(shown).toEqual({ watts: 1, bulb: { ...bulb, metadata: { name: 'b' } } });
  });
});

describe('server-side apply', () => {
  const APPLY = { 'content-type': 'application/apply-patch+yaml' };
  const map = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data });
  const path = (manager: string, force = '') =>
    `/api/v1/namespaces/default/configmaps/m?fieldManager=${manager}${force}`;

  test('creates, shares, refuses what another owns, and takes it by force', async () => {
    await using api = await openTestServer();
    expect((await ask(api, 'PATCH', path('a'), map({ x: '1' }), APPLY)).status).toBe(201);
    expect((await ask(api, 'PATCH', path('b'), map({ x: '1', y: '2' }), APPLY)).status).toBe(200);
    const conflict = await ask(api, 'PATCH', path('b'), map({ x: '9', y: '2' }), APPLY);
    expect(conflict).toMatchObject({
      status: 409,
      body: { details: { causes: [{ field: '.data.x', reason: 'FieldManagerConflict' }] } },
    });
    const forced = await ask(api, 'PATCH', path('b', '&force=true'), map({ x: '9', y: '2' }), APPLY);
    expect(forced.body.data).toEqual({ x: '9', y: '2' });
  });

  test('changes nothing when nothing changes', async () => {
    await using api = await openTestServer();
    const first = await ask(api, 'PATCH', path('a'), map({ x: '1' }), APPLY);
    await api.clock.advance(60_000);
    const second = await ask(api, 'PATCH', path('a'), map({ x: '1' }), APPLY);
    expect(second.body).toEqual(first.body);
  });

  test('removes a field that nobody applies any longer', async () => {
    await using api = await openTestServer();
    await ask(api, 'PATCH', path('a'), map({ x: '1', y: '2' }), APPLY);
    const after = await ask(api, 'PATCH', path('a'), map({ y: '2' }), APPLY);
    expect(after.body.data).toEqual({ y: '2' });
  });
});
