import { Pod } from '@pintle/kinds/core/v1';
import { conflictError, invalid } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineResource } from '../resource/define-resource.ts';
import type { Operation } from './admission.ts';
import { Webhooks } from './webhooks.ts';

const Fruit = defineResource({
  group: 'user.k8sasdb.org',
  version: 'v1',
  kind: 'Fruit',
  spec: z.object({ weight: z.int(), comment: z.string().optional() }),
});
type Fruit = typeof Fruit.Type;

function fruit(weight: number, more: object = {}): JsonObject {
  return { apiVersion: Fruit.apiVersion, kind: 'Fruit', metadata: { name: 'apple' }, spec: { weight, ...more } };
}

function review(operation: Operation, object: JsonObject | null, oldObject: JsonObject | null = null): JsonObject {
  const { group, version, kind } = Fruit;
  const resource = { group, version, resource: 'fruits' };
  const userInfo = { username: 'me' };
  const request = {
    uid: 'u1',
    kind: { group, version, kind },
    resource,
    name: 'apple',
    operation,
    userInfo,
    object,
    oldObject,
  };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
}

interface Response {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: string[];
  readonly auditAnnotations?: object;
  readonly status?: {
    readonly code: number;
    readonly reason?: string;
    readonly message?: string;
    readonly details?: object;
  };
}

async function ask(webhooks: Webhooks, path: string, asked: JsonObject): Promise<Response> {
  const answer = await webhooks.handle(path, asked);
  expect(answer).toMatchObject({ apiVersion: asked.apiVersion, kind: 'AdmissionReview' });
  return answer!.response as unknown as Response;
}

const patchOf = ({ patch = '' }: Response): unknown => JSON.parse(Buffer.from(patch, 'base64').toString() || '[]');
const MUTATE = '/mutate-user-k8sasdb-org-v1-fruit';
const VALIDATE = '/validate-user-k8sasdb-org-v1-fruit';

describe('defaulting', () => {
  const webhooks = new Webhooks({ name: 'fruit' });
  webhooks.for(Fruit).default((object, { warn, audit }) => {
    expectTypeOf(object.spec?.weight).toEqualTypeOf<number | undefined>();
    if (object.spec?.weight === 3) return { ...object, spec: { weight: 4 } };
    if (object.spec) object.spec.comment ??= 'sweet';
    warn('filled in');
    audit('comment', 'default');
    return undefined;
  });

  test.each([
    ['without spec', { spec: undefined }],
    ['whose spec is no object', { spec: 'heavy' }],
    ['whose spec is null', { spec: null }],
  ])('leaves an object %s to the server, which refuses it', async (_, more) => {
    const { spec, ...rest } = { ...fruit(1), ...more };
    const object = spec === undefined ? rest : { ...rest, spec };
    expect(await ask(webhooks, MUTATE, review('CREATE', object))).toMatchObject({
      allowed: true,
      status: { code: 200 },
    });
  });

  test('fails where the object has its shape and the handler has a mistake', async () => {
    const wrong = new Webhooks({ name: 'fruit' });
    wrong.for(Fruit).default((object) => {
      object.metadata.labels!.kind = 'fruit';
    });
    const { allowed, status } = await ask(wrong, MUTATE, review('CREATE', fruit(1)));
    expect(allowed).toBe(false);
    expect(status).toMatchObject({ code: 500, message: expect.stringContaining('Cannot set properties of undefined') });
  });

  test('fills in what the schema requires', async () => {
    const filling = new Webhooks({ name: 'fruit' });
    filling.for(Fruit).default((object) => {
      object.spec ??= { weight: 1 };
    });
    const { spec: _spec, ...object } = fruit(1);
    expect(patchOf(await ask(filling, MUTATE, review('CREATE', object)))).toEqual([
      { op: 'add', path: '/spec', value: { weight: 1 } },
    ]);
  });

  test('tells of a conversion that fails on what the handler would set', async () => {
    const Shelf = defineResource({
      group: 'g.test',
      kind: 'Shelf',
      versions: {
        v1: { spec: z.object({ limits: z.object({ width: z.int() }) }) },
        v2: { spec: z.object({ sizes: z.object({ width: z.int() }) }) },
      },
      storage: 'v1',
      conversions: {
        v2: {
          toHub: ({ spec: { sizes } }) => ({ spec: { limits: { width: sizes.width } } }),
          fromHub: ({ spec: { limits } }) => ({ spec: { sizes: limits } }),
        },
      },
    });
    const logged: object[] = [];
    const log = {
      info: () => undefined,
      warn: (_: string, fields = {}) => logged.push(fields),
      error: () => undefined,
    };
    const converting = new Webhooks({ name: 'shelf', log });
    converting.for(Shelf).default((shelf) => {
      if (shelf.spec) shelf.spec.limits ??= { width: 1 };
    });
    const shelf = { apiVersion: 'g.test/v2', kind: 'Shelf', metadata: { name: 'low' }, spec: {} };
    const { allowed, warnings } = await ask(converting, '/mutate-g-test-v1-shelf', review('CREATE', shelf));
    const reason = 'Cannot convert Shelf.g.test low to g.test/v1: it is not valid in g.test/v2: spec.sizes: ';
    const error = "Cannot read properties of undefined (reading 'width')";
    expect({ allowed, warnings }).toEqual({
      allowed: true,
      warnings: [expect.stringMatching(/^no defaults were set: Cannot convert .*reading 'width'/)],
    });
    expect(logged).toMatchObject([
      { reason: expect.stringContaining(reason), error, stack: expect.stringContaining('toHub') },
    ]);
  });

  test('answers with a patch of what the handler changed, and nothing else', async () => {
    const response = await ask(webhooks, MUTATE, review('CREATE', fruit(1, { unknown: true })));
    expect(patchOf(response)).toEqual([{ op: 'add', path: '/spec/comment', value: 'sweet' }]);
    expect(response).toMatchObject({
      uid: 'u1',
      allowed: true,
      patchType: 'JSONPatch',
      warnings: ['filled in'],
      auditAnnotations: { comment: 'default' },
      status: { code: 200 },
    });
  });

  test('takes an object that is given back', async () => {
    const response = await ask(webhooks, MUTATE, review('UPDATE', fruit(3), fruit(3)));
    expect(patchOf(response)).toEqual([{ op: 'replace', path: '/spec/weight', value: 4 }]);
  });

  test('says nothing about an object that stays as it is', async () => {
    const response = await ask(webhooks, MUTATE, review('UPDATE', fruit(1, { comment: 'sour' }), fruit(1)));
    expect(response).not.toHaveProperty('patch');
    expect(response).not.toHaveProperty('patchType');
  });

  test('is not asked about deletes', async () => {
    expect(await ask(webhooks, MUTATE, review('DELETE', null, fruit(1)))).toEqual({
      uid: 'u1',
      allowed: true,
      status: { code: 200 },
    });
  });
});

describe('validating', () => {
  const webhooks = new Webhooks({ name: 'fruit' });
  webhooks.for(Fruit).validate({
    create({ metadata, spec }) {
      expectTypeOf(metadata.name).toEqualTypeOf<string>();
      return spec.weight < 0 ? [invalid('spec.weight', spec.weight, 'must weigh something')] : [];
    },
    update(next, previous) {
      expectTypeOf(previous.metadata.name).toEqualTypeOf<string>();
      if (next.spec.weight < previous.spec.weight) throw new Error('fruits only grow');
      if (next.spec.weight > 100) throw conflictError({ group: Fruit.group, resource: 'fruits' }, 'apple', 'too late');
      if (next.spec.weight === 50) (undefined as unknown as Fruit).spec.weight = 1;
    },
    delete: ({ spec }, { warn }) => void (spec.weight > 9 && warn('that was heavy')),
  });

  test.each<[string, JsonObject, object]>([
    ['allows what is fine', review('CREATE', fruit(1)), { allowed: true, status: { code: 200 } }],
    [
      'tells field errors as the server does',
      review('CREATE', fruit(-1)),
      {
        allowed: false,
        status: {
          code: 422,
          reason: 'Invalid',
          message: 'Fruit.user.k8sasdb.org "apple" is invalid: spec.weight: Invalid value: -1: must weigh something',
          details: { causes: [{ field: 'spec.weight', reason: 'FieldValueInvalid' }] },
        },
      },
    ],
    [
      'forbids with the words of an error',
      review('UPDATE', fruit(1), fruit(2)),
      { allowed: false, status: { code: 403, reason: 'Forbidden', message: 'fruits only grow' } },
    ],
    [
      'keeps the code of a status',
      review('UPDATE', fruit(101), fruit(2)),
      { allowed: false, status: { code: 409, reason: 'Conflict' } },
    ],
    [
      'fails when the handler has a mistake',
      review('UPDATE', fruit(50), fruit(2)),
      { uid: 'u1', allowed: false, status: { code: 500, message: expect.stringContaining('the webhook failed: ') } },
    ],
    ['looks at what is deleted', review('DELETE', null, fruit(10)), { allowed: true, warnings: ['that was heavy'] }],
    ['lets connections pass', review('CONNECT', fruit(-1)), { allowed: true }],
  ])('%s', async (_what, asked, expected) => {
    expect(await ask(webhooks, VALIDATE, asked)).toMatchObject(expected);
  });

  test('answers in the version it was asked in', async () => {
    const asked = { ...review('CREATE', fruit(1)), apiVersion: 'admission.k8s.io/v1beta1' };
    expect(await webhooks.handle(VALIDATE, asked)).toMatchObject({ apiVersion: 'admission.k8s.io/v1beta1' });
  });

  test('answers nothing elsewhere, and nothing but reviews', async () => {
    expect(await webhooks.handle('/elsewhere', review('CREATE', fruit(1)))).toBeUndefined();
    expect(await webhooks.handle(VALIDATE, { kind: 'Pod' })).toBeUndefined();
  });
});

describe('the configurations', () => {
  const webhooks = new Webhooks({ name: 'fruit-operator' });
  webhooks
    .for(Fruit, { failurePolicy: 'Ignore' })
    .default(() => undefined)
    .validate({ create: () => [], delete: () => [] }, { timeoutSeconds: 3 });
  webhooks.for(Pod).default(() => undefined, { reinvocationPolicy: 'IfNeeded' });
  webhooks.admit(
    'Validating',
    {
      path: '/any',
      name: 'any.policy.test',
      rules: [{ apiGroups: ['x.test'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
    },
    () => ({ allowed: true }),
  );

  test('follow from the handlers', () => {
    const { mutating, validating } = webhooks.configurations({ url: 'https://localhost:9443', authorities: 'PEM' });
    expect(mutating.metadata.name).toBe('fruit-operator');
    expect(mutating.webhooks![0]).toEqual({
      name: 'default.v1.fruits.user.k8sasdb.org',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Ignore',
      timeoutSeconds: 10,
      rules: [
        {
          apiGroups: ['user.k8sasdb.org'],
          apiVersions: ['v1'],
          resources: ['fruits'],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
      ],
      clientConfig: { url: `https://localhost:9443${MUTATE}`, caBundle: Buffer.from('PEM').toString('base64') },
    });
    expect(mutating.webhooks![1]).toMatchObject({
      name: 'default.v1.pods.core',
      reinvocationPolicy: 'IfNeeded',
      clientConfig: { url: 'https://localhost:9443/mutate--v1-pod' },
    });
    expect(validating.webhooks!.map(({ name, timeoutSeconds }) => [name, timeoutSeconds])).toEqual([
      ['validate.v1.fruits.user.k8sasdb.org', 3],
      ['any.policy.test', 10],
    ]);
    expect(validating.webhooks![0]!.rules![0]!.operations).toEqual(['CREATE', 'DELETE']);
  });

  test('leave the own namespace alone where an operator could lock itself out', () => {
    const { mutating } = webhooks.configurations({ service: { namespace: 'home', name: 'hooks' } });
    const [fruits, pods] = mutating.webhooks!;
    expect(fruits!.clientConfig).toEqual({ service: { namespace: 'home', name: 'hooks', port: 443, path: MUTATE } });
    expect(fruits).not.toHaveProperty('namespaceSelector');
    expect(pods!.namespaceSelector).toEqual({
      matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['home'] }],
    });
  });

  test('have one webhook at each path', () => {
    expect(() => webhooks.for(Fruit).default(() => undefined)).toThrow(/the path is already in use/);
  });
});

describe('conversion', () => {
  const Shelf = defineResource({
    group: 'g.test',
    kind: 'Shelf',
    versions: { v1: { spec: z.object({ width: z.int() }) }, v1beta1: { spec: z.object({ size: z.string() }) } },
    storage: 'v1',
    conversions: {
      v1beta1: {
        toHub: ({ spec }) => {
          if (spec.size === '') throw new Error('no size');
          return { spec: { width: Number(spec.size) } };
        },
        fromHub: ({ spec }) => ({ spec: { size: `${spec.width}` } }),
      },
    },
  });
  const webhooks = new Webhooks({ name: 'shelf' });
  webhooks.for(Shelf);

  const asked = (desiredAPIVersion: string, ...objects: JsonObject[]): JsonObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'u2', desiredAPIVersion, objects },
  });
  const old = (size: string): JsonObject => ({
    apiVersion: 'g.test/v1beta1',
    kind: 'Shelf',
    metadata: { name: 'a', uid: 'x', labels: { a: 'b' } },
    spec: { size },
  });

  test('answers with all objects', async () => {
    expect(await webhooks.handle('/convert', asked('g.test/v1', old('1'), old('2')))).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: {
        uid: 'u2',
        result: { status: 'Success' },
        convertedObjects: [1, 2].map((width) => ({ ...old(''), apiVersion: 'g.test/v1', spec: { width } })),
      },
    });
  });

  test.each([
    ['an object cannot be converted', asked('g.test/v1', old('1'), old('')), 'no size'],
    ['there is no such version', asked('g.test/v7', old('1')), 'no such version'],
    ['there is no such kind', asked('g.test/v1', { ...old('1'), kind: 'Wall' }), 'no conversion for it'],
  ])('answers with none when %s', async (_why, review, message) => {
    expect(await webhooks.handle('/convert', review)).toMatchObject({
      response: {
        uid: 'u2',
        convertedObjects: [],
        result: { status: 'Failure', message: expect.stringContaining(message) },
      },
    });
  });
});
