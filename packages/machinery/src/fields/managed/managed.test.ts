import { threadTimer } from '@pintle/async/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyConflictError } from '../../errors/index.ts';
import { canonicalJson, deepCopy, type JsonObject, type JsonValue, parseJson, setOwn } from '../../json/index.ts';
import type { ManagedFieldsEntry } from '../../meta/object-meta.ts';
import { compileSchema } from '../../schema/index.ts';
import { FieldSet } from '../set/field-set.ts';
import { decodeFields } from '../set/fields-v1.ts';
import { fieldId } from '../set/path-element.ts';
import { configuration, emptied } from '../testing/arbitraries.ts';
import { thingSchema } from '../testing/schemas.ts';
import { checkTyped } from '../typed/check-typed.ts';
import { fieldSetOf, readFields } from '../typed/field-set-of.ts';
import { apply as applyTo } from './apply.ts';
import { describeConflicts } from './conflicts.ts';
import type { FieldSteps, VersionedObject } from './context.ts';
import { decodeManagers, encodeManagers } from './manager.ts';
import { managerNameOf } from './manager-name.ts';
import { keepTimesOfIdleWrite, managedFieldsOf, withManagedFields } from './objects.ts';
import { withoutNeverOwned } from './ownership.ts';
import { parentEntriesOf, scaleEntriesOf } from './scale.ts';
import { trackUpdate } from './track-update.ts';

/** One stored object and the seconds that pass with every write to it. */
class Stored {
  object: JsonObject | undefined;
  #second = 0;
  readonly #schema = thingSchema;

  apply(manager: string, body: JsonObject, options: { force?: boolean; subresource?: string } = {}): string {
    const outcome = applyTo({ ...this.#context(manager), ...options, live: this.object, applied: thing(body) });
    if (outcome.status === 'conflict') return describeConflicts(outcome.conflicts).message;
    this.#store(outcome.object, outcome.managedFields);
    return outcome.isChanged ? 'changed' : 'same';
  }

  update(manager: string, body: JsonObject, managedFields?: JsonValue): void {
    const sent = managedFields === undefined ? {} : { managedFields };
    const next = thing({ ...body, metadata: { ...(body.metadata as JsonObject), ...sent } });
    this.#store(next, trackUpdate(this.#context(manager), { live: this.object, next }));
  }

  get owners(): Record<string, JsonValue> {
    const entries = managedFieldsOf(this.object) ?? [];
    return Object.fromEntries(
      entries.map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1 as JsonValue]),
    );
  }

  get times(): Record<string, string> {
    return Object.fromEntries(
      (managedFieldsOf(this.object) ?? []).map(({ manager, time }) => [manager!, time ?? 'none']),
    );
  }

  get body(): JsonObject {
    const { apiVersion: _a, kind: _k, metadata: _m, ...body } = this.object!;
    return body;
  }

  #context(manager: string) {
    return { manager, apiVersion: 'v1', time: at(++this.#second), schema: this.#schema };
  }

  #store(object: JsonObject, entries: readonly ManagedFieldsEntry[]): void {
    const metadata = { ...(object.metadata as JsonObject), uid: 'u' };
    this.object = withManagedFields({ ...object, metadata }, entries);
  }
}

const at = (second: number): string => `2024-01-01T00:00:${String(second).padStart(2, '0')}Z`;
const thing = (body: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  ...body,
  metadata: { name: 'one', ...(body.metadata as JsonObject) },
});
/** The items of every list in an order that does not depend on who came first. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  const made: JsonObject = {};
  for (const [name, member] of Object.entries(value)) setOwn(made, name, sorted(member));
  return made;
}

const data = (values: JsonObject): JsonObject => ({ data: values });

describe('apply', () => {
  test('creates, changes, removes, and owns what it applies', () => {
    const stored = new Stored();
    expect(stored.apply('a', data({ x: '1', y: '2' }))).toBe('changed');
    expect(stored.owners).toEqual({ 'a Apply': { 'f:data': { 'f:x': {}, 'f:y': {} } } });
    expect(stored.apply('a', data({ x: '1', y: '2' }))).toBe('same');
    expect(stored.apply('a', data({ x: '9' }))).toBe('changed');
    expect(stored.body).toEqual(data({ x: '9' }));
    stored.apply('a', {});
    expect([stored.body, stored.owners]).toEqual([{}, {}]);
  });

  test('shares what others say too, and refuses what they say otherwise', () => {
    const stored = new Stored();
    stored.apply('alice', data({ x: '1', y: '1' }));
    expect(stored.apply('bob', data({ x: '1' }))).toBe('same');
    expect(stored.apply('bob', data({ x: '2' }))).toBe('Apply failed with 1 conflict: conflict with "alice": .data.x');
    expect(stored.apply('carol', data({ x: '3', y: '3' }))).toBe(
      'Apply failed with 3 conflicts: conflicts with "alice":\n- .data.x\n- .data.y\nconflicts with "bob":\n- .data.x',
    );
    expect(stored.apply('carol', data({ x: '3' }), { force: true })).toBe('changed');
    expect(stored.owners).toEqual({
      'alice Apply': { 'f:data': { 'f:y': {} } },
      'carol Apply': { 'f:data': { 'f:x': {} } },
    });
  });

  test('a field goes with its last owner', () => {
    const stored = new Stored();
    stored.apply('alice', data({ x: '1' }));
    stored.apply('bob', data({ x: '1' }));
    stored.apply('alice', {});
    expect(stored.body).toEqual(data({ x: '1' }));
    stored.apply('bob', {});
    expect(stored.body).toEqual({});
  });

  test('a time moves only with a value', () => {
    const stored = new Stored();
    stored.apply('a', data({ x: '1' }));
    stored.apply('b', data({ x: '1' }));
    stored.apply('a', data({ x: '1' }));
    expect(stored.times).toEqual({ a: at(1), b: 'none' });
  });

  test('the first apply meets what was there before', () => {
    const stored = new Stored();
    stored.update('u', data({ x: '1' }));
    stored.object = withManagedFields(stored.object!, []);
    expect(stored.apply('a', data({ x: '2' }))).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.x',
    );
    stored.apply('a', data({ y: '2' }));
    expect(Object.keys(stored.owners)).toEqual(['a Apply', 'before-first-apply Update']);
  });

  test('conflicts become the answer of Kubernetes', () => {
    const stored = new Stored();
    stored.apply('s', { status: { phase: 'x' } }, { subresource: 'status' });
    const request = { manager: 'm', apiVersion: 'v1', time: at(9), schema: thingSchema, live: stored.object! };
    const outcome = applyTo({ ...request, applied: thing({ status: { phase: 'y' } }) });
    if (outcome.status !== 'conflict') throw new Error('there is no conflict');
    const { message, causes } = describeConflicts(outcome.conflicts);
    expect(applyConflictError(message, causes).status).toMatchObject({
      code: 409,
      message: 'Apply failed with 1 conflict: conflict with "s" with subresource "status": .status.phase',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "s" with subresource "status"',
            field: '.status.phase',
          },
        ],
      },
    });
  });

  test('reset fields are neither owned nor contested', () => {
    const request = { manager: 'm', apiVersion: 'v1', time: at(1), schema: thingSchema };
    const resetFields = FieldSet.of([{ field: 'status' }]);
    const outcome = applyTo({ ...request, resetFields, applied: thing({ data: { a: '1' }, status: { phase: 'x' } }) });
    expect(outcome).toMatchObject({ managedFields: [{ fieldsV1: { 'f:data': { 'f:a': {} } } }] });
  });

  test('kubectl takes over what its client side applied, unless somebody changed it', () => {
    const note = 'kubectl.kubernetes.io/last-applied-configuration';
    const stored = new Stored();
    const old = thing({ ...data({ x: '1', y: '1' }), metadata: { annotations: {} } });
    stored.update('kubectl-client-side-apply', {
      ...data({ x: '1', y: '1' }),
      metadata: { annotations: { [note]: JSON.stringify(old) } },
    });
    expect(stored.apply('other', data({ x: '2' }))).toContain('1 conflict');
    expect(stored.apply('kubectl', data({ x: '2' }))).toBe('changed');
    const annotations = (stored.object!.metadata as JsonObject).annotations as JsonObject;
    expect(annotations[note]).toBe('{"apiVersion":"v1","data":{"x":"2"},"kind":"Thing","metadata":{"name":"one"}}\n');
    stored.update('someone', { ...data({ x: '2', y: '5' }), metadata: { annotations } });
    expect(stored.apply('kubectl', data({ x: '2', y: '6' }))).toBe(
      'Apply failed with 1 conflict: conflict with "someone" using v1: .data.y',
    );
  });

  test('owners of other versions are asked in their version, and gone with it', () => {
    const entry = (manager: string, apiVersion: string): ManagedFieldsEntry => ({
      manager,
      operation: 'Apply',
      apiVersion,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:text': {} },
    });
    const live = withManagedFields(thing({ ...data({ x: '1' }), metadata: { uid: 'u' } }), [
      entry('a', 'v2'),
      entry('b', 'v9'),
    ]);
    const v2 = { type: 'object', properties: { apiVersion: { type: 'string' }, text: { type: 'string' } } } as const;
    const convert = function* (object: JsonObject, apiVersion: string): FieldSteps<VersionedObject | undefined> {
      yield;
      if (apiVersion === 'v1') return { object: { ...thing({}), data: { x: object.text! } }, schema: thingSchema };
      return apiVersion === 'v2'
        ? { object: { apiVersion, text: (object.data as JsonObject).x! }, schema: v2 }
        : undefined;
    };
    const request = { manager: 'm', apiVersion: 'v1', time: at(1), schema: thingSchema, live, convert };
    const refused = applyTo({ ...request, applied: thing(data({ x: '2' })) });
    expect(refused).toMatchObject({
      status: 'conflict',
      conflicts: [{ manager: 'a', apiVersion: 'v2', fields: decodeFields({ 'f:text': {} }) }],
    });
    const forced = applyTo({ ...request, applied: thing(data({ x: '2' })), force: true });
    expect(forced).toMatchObject({ managedFields: [{ manager: 'm' }] });
  });

  test('what another version does not declare cannot be applied while somebody owns fields there', () => {
    const request = { ...incompatible(), manager: 'm' };
    const applying = (manager: string, body: JsonObject) => () =>
      applyTo({ ...request, manager, applied: thing(body) });
    expect(applying('m', data({ x: '1' }))).toThrow(
      'failed to convert new object: .data: field not declared in schema',
    );
    expect(applying('a', data({ x: '1' }))).toThrow(
      'failed to prune fields: failed to convert merged object to last applied version: .data: field not declared',
    );
    const live = withManagedFields(thing({ ...data({ x: '1' }), metadata: { uid: 'u' } }), request.entries);
    expect(() => applyTo({ ...request, live, applied: thing({}) })).toThrow(/^\.data: field not declared in schema$/);
  });

  test('a stored object that does not fit the version of the request cannot be applied to, and loses its owners', () => {
    const { entries, ...request } = { ...incompatible(), manager: 'm', mayViolateSchema: true };
    const misfit = thing({ data: 5, metadata: { uid: 'u' } });
    const apply = (live: JsonObject, body: JsonObject) => () => applyTo({ ...request, live, applied: thing(body) });
    const failure = (isOwned: boolean) => expect.objectContaining({ failure: liveNotTyped(isOwned) });
    expect(apply(withManagedFields(misfit, entries), {})).toThrow(failure(true));
    expect(apply(withManagedFields(misfit, entries), { odd: 1 })).toThrow('.odd: field not declared in schema');
    expect(apply(misfit, { odd: 1 })).toThrow(failure(false));
    const next = withManagedFields(misfit, entries);
    expect(trackUpdate(request, { live: next, next })).toEqual([]);
  });

  test('who applies again is told that what others own could not be added back', () => {
    const { entries, ...request } = incompatible();
    const own = { ...entries[0]!, manager: 'm', apiVersion: 'v1' };
    const live = withManagedFields(request.live, [...entries, own]);
    expect(() => applyTo({ ...request, manager: 'm', live, applied: thing(data({ x: '1' })) })).toThrow(
      'failed to prune fields: failed add back owned items: failed to convert merged object at version v2: .data: field not declared in schema',
    );
  });
});

const liveNotTyped = (isOwned: boolean) => expect.objectContaining({ code: 'LiveNotTyped', isOwned });

/** A live object that fits `v2`, in which `a` owns its text, though `v2` does not know all that `v1` may hold. */
function incompatible() {
  const v2 = {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  } as const;
  const entries: ManagedFieldsEntry[] = [
    {
      manager: 'a',
      operation: 'Apply',
      apiVersion: 'v2',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': { 'f:l': {} } } },
    },
  ];
  const live = withManagedFields(thing({ metadata: { uid: 'u', labels: { l: '1' } } }), entries);
  const convert = function* (object: JsonObject, apiVersion: string): FieldSteps<VersionedObject> {
    yield;
    return {
      object: { ...object, apiVersion },
      schema: apiVersion === 'v2' ? v2 : thingSchema,
    };
  };
  return { entries, live, convert, apiVersion: 'v1', time: at(1), schema: thingSchema };
}

describe('trackUpdate', () => {
  test('an update that does not fit a version somebody owns fields in leaves nobody owning anything', () => {
    const { live, ...request } = incompatible();
    const update = (body: JsonObject) => {
      const next = thing({ metadata: { uid: 'u', labels: { l: '1' } }, ...body });
      return trackUpdate({ ...request, manager: 'm' }, { live, next }).map(({ manager }) => manager);
    };
    expect(update({})).toEqual(['a']);
    expect(update(data({ x: '1' }))).toEqual([]);
  });

  test('an item that nothing identifies leaves nobody owning anything', () => {
    const stored = new Stored();
    const containers = (...items: JsonObject[]): JsonObject => ({ spec: { containers: items } });
    stored.update('u', containers({ name: 'a' }));
    expect(Object.keys(stored.owners)).toEqual(['u Update']);
    stored.update('u', containers({ name: 'a' }, { image: 'i' }));
    expect(stored.owners).toEqual({});
    stored.update('u', containers({ name: 'a' }));
    expect(stored.owners).toEqual({});
  });

  test('the writer owns what it changed, and nobody else does any longer', () => {
    const stored = new Stored();
    stored.apply('a', data({ x: '1', y: '1' }));
    stored.update('w', data({ x: '2', y: '1', z: '3' }));
    expect(stored.owners).toEqual({
      'a Apply': { 'f:data': { 'f:y': {} } },
      'w Update': { 'f:data': { 'f:x': {}, 'f:z': {} } },
    });
    stored.update('v', data({ x: '2' }));
    expect(stored.owners).toEqual({ 'w Update': { 'f:data': { 'f:x': {} } } });
  });

  test('a creator owns the objects it creates too, a write of the same nothing', () => {
    const stored = new Stored();
    stored.update('u', { ...data({ x: '1' }), metadata: { labels: { a: 'b' } } });
    expect(stored.owners).toEqual({
      'u Update': { 'f:data': { '.': {}, 'f:x': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } },
    });
    stored.update('v', { ...data({ x: '1' }), metadata: { labels: { a: 'b' } } });
    expect(stored.times).toEqual({ u: at(1) });
  });

  test('entries are kept, replaced and cleared by what is sent', () => {
    const hand = {
      manager: 'hand',
      operation: 'Apply',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:x': {} } },
    };
    const after = (managedFields: JsonValue | undefined): string[] => {
      const stored = new Stored();
      stored.apply('a', data({ x: '1' }));
      stored.update('u', data({ x: '1' }), managedFields);
      return Object.keys(stored.owners);
    };
    expect(after(undefined)).toEqual(['a Apply']);
    expect(after([])).toEqual([]);
    expect(after([{}])).toEqual([]);
    expect(after([hand])).toEqual(['hand Apply']);
    expect(after([{ ...hand, operation: 'Guess' }])).toEqual(['a Apply']);
    expect(after([{ ...hand, fieldsV1: { data: {} } }])).toEqual(['a Apply']);
    expect(after([{ ...hand, fieldsV1: {} }])).toEqual([]);
  });

  test('an object without owners is not tracked until it is applied to', () => {
    const stored = new Stored();
    stored.update('u', {});
    stored.update('v', data({ x: '1' }));
    expect(stored.owners).toEqual({});
  });

  test('the oldest of more than ten updaters are put together', () => {
    const stored = new Stored();
    for (let i = 1; i <= 12; i++)
      stored.update(`u${i}`, data(Object.fromEntries(Array.from({ length: i }, (_, k) => [`k${k}`, '1']))));
    expect(Object.keys(stored.owners)).toHaveLength(10);
    expect(stored.owners['ancient-changes Update']).toEqual({
      'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} },
    });
    expect(stored.times['ancient-changes']).toBe(at(3));
  });
});

describe('managers', () => {
  test('who own the same fields share one set of them', () => {
    const owned = (from: number, count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f:k${from + i}`, {}]));
    const entries = [10, 20, 10, 30, 20].map(
      (count, i): ManagedFieldsEntry => ({
        manager: `m${i}`,
        operation: 'Apply',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': owned(1_000, count) },
      }),
    );
    const managers = decodeManagers(entries);
    expect(new Set([...managers.values()].map(({ fields }) => fields.child(fieldId('data')))).size).toBe(3);
    expect(encodeManagers(managers)).toEqual(entries);
  });

  test('are written in order of operation, time and name', () => {
    const entry = (manager: string, operation: 'Apply' | 'Update', time?: string): ManagedFieldsEntry => ({
      manager,
      operation,
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:a': {} },
      ...(time && { time }),
    });
    const entries = [
      entry('b', 'Update', at(1)),
      entry('a', 'Update', at(2)),
      entry('z', 'Apply', at(3)),
      entry('y', 'Apply'),
    ];
    const written = encodeManagers(decodeManagers(entries));
    expect(written.map(({ manager }) => manager)).toEqual(['y', 'z', 'b', 'a']);
    expect(written[0]).toBe(entries[3]);
  });

  test.each<[ManagedFieldsEntry, string]>([
    [{ operation: 'Guess' as 'Apply' }, 'operation must be `Apply` or `Update`'],
    [{ operation: 'Apply' }, 'apiVersion must not be empty'],
    [{ operation: 'Apply', apiVersion: 'v1' }, 'missing fieldsType in managed fields entry 0'],
    [
      { operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV2' as 'FieldsV1' },
      'invalid fieldsType "FieldsV2" in managed fields entry 0',
    ],
  ])('an invalid entry is told: %j', (entry, message) => {
    expect(() => decodeManagers([entry])).toThrow(expect.objectContaining({ name: 'FieldsError', message }));
  });

  test('are named by the request or by its user agent', () => {
    const check = (userAgent: string | undefined, expected: string): void =>
      expect(managerNameOf({ userAgent })).toBe(expected);
    check('kubectl/v1.36.4 (linux/amd64)', 'kubectl');
    check('my tool', 'my tool');
    check('/v1', 'unknown');
    check(undefined, 'unknown');
    check('a\u0007b/1', 'ab');
    check(`${'é'.repeat(100)}/1`, 'é'.repeat(64));
    expect(managerNameOf({ fieldManager: 'chosen', userAgent: 'kubectl/1' })).toBe('chosen');
  });

  test('of a scale are those of its parent who own the replicas', () => {
    const replicas = [{ field: 'spec' }, { field: 'replicas' }];
    const paths = new Map([['apps/v1', replicas]]);
    const parent: ManagedFieldsEntry[] = [
      {
        manager: 'a',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } },
      },
      {
        manager: 'b',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:paused': {} } },
      },
    ];
    expect(scaleEntriesOf(parent, paths)).toMatchObject([{ manager: 'a', apiVersion: 'autoscaling/v1' }]);
    const scale: ManagedFieldsEntry[] = [
      {
        manager: 's',
        operation: 'Update',
        apiVersion: 'autoscaling/v1',
        subresource: 'scale',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
    ];
    expect(
      parentEntriesOf({ parent, scale, apiVersion: 'apps/v1', paths }).map(({ manager, fieldsV1 }) => [
        manager,
        fieldsV1,
      ]),
    ).toEqual([
      ['a', { 'f:spec': { 'f:paused': {} } }],
      ['b', { 'f:spec': { 'f:paused': {} } }],
      ['s', { 'f:spec': { 'f:replicas': {} } }],
    ]);
  });
});

test('a write that changes nothing but times keeps the old ones', () => {
  const entry = (time: string): ManagedFieldsEntry => ({
    manager: 'a',
    operation: 'Apply',
    apiVersion: 'v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': {} },
  });
  const live = withManagedFields(thing(data({ x: '1' })), [entry(at(1))]);
  expect(keepTimesOfIdleWrite(live, withManagedFields(live, [entry(at(2))]))).toEqual([entry(at(1))]);
  expect(keepTimesOfIdleWrite(live, withManagedFields(thing(data({ x: '2' })), [entry(at(2))]))).toEqual([
    entry(at(2)),
  ]);
});

test('objects as deep and as wide as a request may be are dealt with', () => {
  let deep: JsonValue = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, '1']));
  for (let i = 0; i < 900; i++) deep = { a: deep };
  const stored = new Stored();
  stored.apply('a', { spec: { free: deep } });
  stored.object = withManagedFields(
    stored.object!,
    parseJson(JSON.stringify(managedFieldsOf(stored.object))) as ManagedFieldsEntry[],
  );
  const other = parseJson(JSON.stringify(deep).replaceAll('"1"', '"2"'));
  const computedMs = threadTimer();
  expect(stored.apply('b', { spec: { free: other } })).toContain('Apply failed with 5000 conflicts');
  expect(stored.apply('b', { spec: { free: other } }, { force: true })).toBe('changed');
  expect(stored.apply('b', {})).toBe('changed');
  stored.update('c', { spec: { free: deep } });
  expect(computedMs()).toBeLessThan(4_000);
});

/** Configurations without empty lists, which set nothing and belong to nobody. */
const telling = configuration.filter((body) => readFields(body, thingSchema).isComplete);

describe('laws', () => {
  test('applying the same configuration twice changes nothing', () => {
    fc.assert(
      fc.property(configuration, configuration, (first, second) => {
        const stored = new Stored();
        stored.update('u', first);
        stored.apply('a', second, { force: true });
        const before = deepCopy(stored.object);
        expect(stored.apply('a', second)).toBe('same');
        expect(stored.object).toEqual(before);
      }),
    );
  });

  test('applies that do not contradict each other commute, but for the order of items', () => {
    fc.assert(
      fc.property(telling, telling, (first, second) => {
        const run = (...order: (readonly [string, JsonObject])[]): unknown => {
          const stored = new Stored();
          const told = order.map(([manager, body]) => stored.apply(manager, body));
          return told.some((text) => text.startsWith('Apply failed'))
            ? 'conflict'
            : [sorted(stored.body), stored.owners];
        };
        expect(run(['a', first], ['b', second])).toEqual(run(['b', second], ['a', first]));
      }),
    );
  });

  test('what is left out goes in the same way when there are owners in other versions', () => {
    const applied = fc.tuple(fc.constantFrom('a', 'b'), fc.oneof(configuration, emptied));
    /** Applies, and leaves an owner behind: where there is none, what stands is taken for older than the first apply. */
    const step = (stored: Stored, [manager, body]: [string, JsonObject], apiVersion: string): void => {
      stored.apply(manager, body, { force: true });
      const others = (managedFieldsOf(stored.object) ?? []).filter((entry) => entry.manager !== 'z');
      const z = { manager: 'z', operation: 'Apply', apiVersion, fieldsType: 'FieldsV1' } as const;
      stored.object = withManagedFields(stored.object!, [...others, { ...z, fieldsV1: { 'f:elsewhere': {} } }]);
    };
    fc.assert(
      fc.property(fc.array(applied, { minLength: 2, maxLength: 4 }), (steps) => {
        const [here, there] = [new Stored(), new Stored()];
        for (const applied of steps) {
          step(here, applied, 'v1');
          step(there, applied, 'v2');
          expect(there.body).toEqual(here.body);
        }
      }),
    );
  });

  test('what is applied to an object that fits its schema gives one that does', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b'), configuration, fc.boolean());
    fc.assert(
      fc.property(configuration, fc.array(step, { maxLength: 3 }), (live, steps) => {
        const stored = new Stored();
        stored.update('u', live);
        for (const [manager, body, force] of steps) stored.apply(manager, body, { force });
        expect(() => checkTyped(stored.object!, thingSchema)).not.toThrow();
        // What somebody owns and others have emptied is null, which counts as absent except in a custom resource.
        const body = deepCopy(stored.body);
        compileSchema(thingSchema).dropNulls(body);
        expect(compileSchema(thingSchema).validate(body)).toEqual([]);
      }),
    );
  });

  test('a field goes when the last of those who applied it leaves it out, and not before', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c'), telling);
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 4 }),
        fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 3 }),
        (steps, leaving) => {
          const stored = new Stored();
          stored.apply('a', {});
          for (const [manager, body] of steps) stored.apply(manager, body, { force: true });
          for (const manager of leaving) {
            const others = Object.entries(stored.owners).filter(([owner]) => owner !== `${manager} Apply`);
            const kept = fieldSetOf(stored.object!, thingSchema);
            stored.apply(manager, {});
            const left = fieldSetOf(stored.object!, thingSchema);
            for (const [, fields] of others)
              expect(decodeFields(fields).intersection(kept).isSubsetOf(left)).toBe(true);
          }
          expect(stored.owners).toEqual({});
          expect(stored.body).toEqual({});
        },
      ),
    );
  });

  test('what an applier owns is what it applied; what it alone owned goes with it', () => {
    fc.assert(
      fc.property(telling, (applied) => {
        const stored = new Stored();
        stored.apply('a', applied);
        const owned = withoutNeverOwned(fieldSetOf(applied, thingSchema));
        expect(stored.owners).toEqual(owned.isEmpty ? {} : { 'a Apply': expect.anything() });
        stored.apply('a', {});
        expect(withoutNeverOwned(fieldSetOf(stored.object!, thingSchema)).intersection(owned).isEmpty).toBe(true);
        expect(stored.owners).toEqual({});
      }),
    );
  });

  test('no field is owned by two updaters, and never does an update fail', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('u', 'v', 'w'), configuration), { maxLength: 4 }), (writes) => {
        const stored = new Stored();
        for (const [manager, body] of writes) stored.update(manager, body);
        const sets = Object.values(stored.owners).map(decodeFields);
        sets.forEach((set, i) => {
          for (const other of sets.slice(i + 1)) expect(set.intersection(other).isEmpty).toBe(true);
        });
      }),
    );
  });
});
