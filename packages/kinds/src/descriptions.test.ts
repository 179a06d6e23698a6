import { readdirSync, readFileSync } from 'node:fs';
import type { GroupVersionKind, KubernetesObject } from '@pintle/machinery';
import { deepCopy, deepEqual, isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import type { Finding, ResourceRules } from '@pintle/machinery/rules';
import { parseYamlStrict, yamlFileLimits } from '@pintle/machinery/yaml';
import { describe, expect, test } from 'vitest';
import { builtinGroups, responseKindOf } from './discovery/index.ts';
import { loadRules } from './rules/index.ts';
import { errorsIn, readObject } from './rules/testing/read-object.ts';
import { gvksOf, type OpenApiSchema, openapiOfType, typeNameOf, typeNames } from './schemas/index.ts';

interface FieldDescription {
  readonly text: string;
  readonly default?: JsonValue;
  readonly values?: Readonly<Record<string, string>>;
  readonly deprecated?: string;
  readonly immutable?: true;
}

interface TypeDescription {
  readonly description: string;
  readonly fields?: Readonly<Record<string, string | FieldDescription>>;
}

const folder = new URL('../descriptions/', import.meta.url);

/** By place and name: `apps/v1/DeploymentSpec`, and `meta/v1/$object` for what kinds have in common. */
const described = readDescriptions();

function readDescriptions(): ReadonlyMap<string, TypeDescription> {
  const types = new Map<string, TypeDescription>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const [, place] = /^(.+)[\\/][a-z0-9-]+\.yaml$/.exec(file) ?? [];
    if (place === undefined) continue;
    const { value, duplicates } = parseYamlStrict(readFileSync(new URL(file, folder)), yamlFileLimits);
    expect(duplicates, file).toEqual([]);
    for (const [name, type] of Object.entries(value as unknown as Record<string, TypeDescription>)) {
      const key = `${place.replaceAll('\\', '/')}/${name}`;
      expect(types.has(key), `${key} is described twice`).toBe(false);
      types.set(key, type);
    }
  }
  return types;
}

/** `apps/v1/Deployment` for io.k8s.api.apps.v1.Deployment; what has no version of its own belongs to meta/v1. */
function keyOf(typeName: string): string {
  const [name, version, group] = typeName.split('.').reverse();
  return /^v\d/.test(version!) && group !== 'pkg' ? `${group}/${version}/${name}` : `meta/v1/${name}`;
}

interface Field {
  /** `apps/v1/DeploymentSpec.replicas` */
  readonly key: string;
  readonly name: string;
  readonly schema: OpenApiSchema;
  readonly description: FieldDescription | undefined;
}

const fields: readonly Field[] = typeNames().flatMap(fieldsOf);

function fieldsOf(typeName: string): Field[] {
  const key = keyOf(typeName);
  const properties = openapiOfType(typeName)?.properties ?? {};
  const shared = commonFields(typeName, properties);
  return Object.entries(properties).map(([name, schema]) => {
    const description = described.get(key)?.fields?.[name] ?? shared[name];
    return {
      key: `${key}.${name}`,
      name,
      schema,
      description: typeof description === 'string' ? { text: description } : description,
    };
  });
}

/** Objects and lists of them have fields whose meaning is always the same. */
function commonFields(typeName: string, properties: object): Readonly<Record<string, string | FieldDescription>> {
  if (gvksOf(typeName).length === 0) return {};
  return described.get(`meta/v1/${Object.hasOwn(properties, 'items') ? '$list' : '$object'}`)?.fields ?? {};
}

/** Returns the text that a reader sees of a field; a long list of values is shown elsewhere. */
function composed({ description, schema }: Field): string {
  const { text, values = {}, deprecated, immutable } = description!;
  const meanings = Object.entries(values).map(([value, meaning]) => `\`${value}\`: ${meaning}`);
  const isLong = (schema.enum?.length ?? 0) > 20;
  return [
    text,
    ...(isLong ? [] : meanings),
    ...(description?.default === undefined ? [] : [`Defaults to \`${JSON.stringify(description.default)}\`.`]),
    ...(immutable ? ['Cannot be changed after creation.'] : []),
    ...(deprecated === undefined ? [] : [deprecated]),
  ].join(' ');
}

const letters = (text: string) => text.replaceAll(/[^a-z]/gi, '').toLowerCase();
const keysWhere = (isWrong: (field: Field) => boolean) => fields.filter(isWrong).map(({ key }) => key);

describe('Descriptions', () => {
  test('are there for every type and every field', () => {
    expect(typeNames().filter((name) => !described.get(keyOf(name))?.description)).toEqual([]);
    expect(keysWhere(({ description }) => description === undefined)).toEqual([]);
  });

  test('are there for nothing else', () => {
    const known = new Set([...typeNames().map(keyOf), 'meta/v1/$object', 'meta/v1/$list']);
    expect([...described.keys()].filter((key) => !known.has(key))).toEqual([]);
    const knownFields = new Set(fields.map(({ key }) => key));
    const extra = [...described]
      .filter(([key]) => !key.includes('$'))
      .flatMap(([key, { fields: own = {} }]) => Object.keys(own).map((name) => `${key}.${name}`));
    expect(extra.filter((key) => !knownFields.has(key))).toEqual([]);
  });

  test('have the parts that a description can have', () => {
    const parts = ['text', 'default', 'values', 'deprecated', 'immutable'];
    expect(
      keysWhere(({ description = {} }) => !Object.keys(description).every((part) => parts.includes(part))),
    ).toEqual([]);
    const typeParts = ['description', 'fields'];
    const odd = [...described].filter(([, type]) => !Object.keys(type).every((part) => typeParts.includes(part)));
    expect(odd.map(([key]) => key)).toEqual([]);
  });

  test('leave what all kinds have in common to the common entry', () => {
    // The metadata of a Status are those of a list.
    const own = typeNames().filter((name) => gvksOf(name).length > 0 && keyOf(name) !== 'meta/v1/Status');
    const repeated = own.flatMap((name) => {
      const { fields: mine = {} } = described.get(keyOf(name))!;
      return ['apiVersion', 'kind', 'metadata', 'items'].filter((field) => Object.hasOwn(mine, field)).map(() => name);
    });
    expect(repeated).toEqual([]);
  });

  test('are one or two whole sentences that say more than the name', () => {
    const isSentence = (text: string, limit: number) =>
      text.length >= 10 &&
      text.length <= limit &&
      /^["`$(A-Z0-9]/.test(text) &&
      text.endsWith('.') &&
      !/\s{2}/.test(text);
    expect(keysWhere(({ description }) => !isSentence(description!.text, 300))).toEqual([]);
    expect(keysWhere(({ description }) => description!.text.split(/\. (?=[A-Z`])/).length > 2)).toEqual([]);
    expect(keysWhere((field) => composed(field).length > 400)).toEqual([]);
    expect(keysWhere(({ name, description }) => letters(description!.text) === letters(name))).toEqual([]);
    expect(keysWhere(({ description }) => /\bthis field\b/i.test(description!.text))).toEqual([]);
    expect(keysWhere(({ description }) => !isSentence(description!.deprecated ?? 'Not deprecated.', 100))).toEqual([]);
    const types = [...described].filter(([, { description }]) => !isSentence(description, 300));
    expect(types.map(([key]) => key)).toEqual([]);
  });

  test('quote names and values in pairs of backticks', () => {
    const isOdd = (text: string) => text.split('`').length % 2 === 0;
    expect(keysWhere(({ description }) => isOdd(description!.text))).toEqual([]);
    expect([...described].filter(([, { description }]) => isOdd(description)).map(([key]) => key)).toEqual([]);
  });

  test('explain every value of an enumeration, and no other', () => {
    const explained = ({ values = {} }: FieldDescription) => Object.keys(values).sort();
    const offered = ({ enum: values = [] }: OpenApiSchema) => values.map(String).sort();
    expect(keysWhere(({ schema, description }) => !deepEqual(explained(description!), offered(schema)))).toEqual([]);
    const meanings = fields.flatMap(({ key, description }) =>
      Object.entries(description!.values ?? {}).map(([value, meaning]) => ({ key: `${key}: ${value}`, meaning })),
    );
    const odd = meanings.filter(({ meaning }) => !/^["`$A-Z0-9].*\.$/.test(meaning) || meaning.length > 160);
    expect(odd.map(({ key }) => key)).toEqual([]);
  });

  test('do not describe fields of different names in the same words', () => {
    const namesOf = new Map<string, Set<string>>();
    for (const { name, description } of fields)
      if (description!.text.length > 60)
        namesOf.set(description!.text, (namesOf.get(description!.text) ?? new Set()).add(name));
    const shared = [...namesOf.values()].filter((names) => names.size > 1).map((names) => [...names].sort());
    // The same field under the names of two kinds.
    expect(shared).toEqual([
      ['involvedObject', 'regarding'],
      ['apiGroup', 'group'],
    ]);
  });
});

/** A field that was not written and has a value all the same. */
interface Filled {
  readonly key: string;
  readonly value: JsonValue;
  /** Whether the rules set it, in a part of the object that was written; else it only is Go's zero value. */
  readonly isByRules: boolean;
}

const filled = await fillAllKinds();

async function fillAllKinds(): Promise<readonly Filled[]> {
  const found: Filled[] = [];
  for (const gvk of builtinKinds()) {
    const { default: setDefaults } = await loadRules(gvk, { hasStatus: false });
    for (const written of [skeletonOf(gvk), ...examplesOf(gvk)]) {
      const before = objectOf(gvk, written);
      const after = deepCopy(before);
      setDefaults?.(after);
      found.push(...compare(typeNameOf(gvk)!, [written, before, after].map(asJson), true));
    }
  }
  return found;
}

function objectOf({ group, version, kind }: GroupVersionKind, written: JsonObject): KubernetesObject {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return readObject({ ...written, apiVersion, kind, metadata: { name: 'a' } });
}

function builtinKinds(): GroupVersionKind[] {
  return builtinGroups.flatMap(({ group, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map((resource) => responseKindOf({ group, version }, resource)),
    ),
  );
}

/** An object of the kind in which every part is there, and no part says anything. */
function skeletonOf(gvk: GroupVersionKind): JsonObject {
  return (skeleton(typeNameOf(gvk)!, []) ?? {}) as JsonObject;
}

function skeleton(typeName: string, around: readonly string[]): JsonValue | undefined {
  const { properties } = openapiOfType(typeName) ?? {};
  if (properties === undefined || around.includes(typeName)) return undefined;
  const parts: JsonObject = {};
  for (const [name, schema] of Object.entries(properties)) {
    const { type, isList } = innerTypeOf(schema);
    const part = type === undefined || name === 'metadata' ? undefined : skeleton(type, [...around, typeName]);
    if (part !== undefined) parts[name] = isList ? [part] : part;
  }
  return parts;
}

/** Objects for defaults that depend on what else is written, or is not. */
function examplesOf({ group, kind }: GroupVersionKind): JsonObject[] {
  switch (`${group}/${kind}`) {
    case '/Service':
      return [
        { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } },
        { spec: { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: {} } } },
      ];
    case 'batch/Job':
      return [{ spec: { template: {} } }];
    case 'rbac.authorization.k8s.io/RoleBinding':
      return [{ roleRef: { kind: 'Role', name: 'a' }, subjects: [{ kind: 'User', name: 'a' }] }];
    default:
      return [];
  }
}

/** `written`, `before` and `after` the rules were asked, side by side through all parts. */
function* compare(typeName: string, stages: readonly JsonObject[], isWritten: boolean): Generator<Filled> {
  for (const [name, schema] of Object.entries(openapiOfType(typeName)?.properties ?? {})) {
    const [written, before, after] = stages.map((stage) => stage[name]);
    if (name === 'metadata' || after === undefined) continue;
    // An object is not a default itself, only what is in it.
    if (written === undefined && !isJsonObject(after))
      yield { key: `${keyOf(typeName)}.${name}`, value: after, isByRules: isWritten && !deepEqual(before, after) };
    const { type } = innerTypeOf(schema);
    if (type === undefined) continue;
    for (const index of Array.isArray(after) ? after.keys() : [0]) {
      const items = [written, before, after].map((value) => asJson(Array.isArray(value) ? value[index] : value));
      yield* compare(type, items, isWritten && written !== undefined);
    }
  }
}

function innerTypeOf(schema: OpenApiSchema): { readonly type: string | undefined; readonly isList: boolean } {
  const { $ref, allOf } = schema.items ?? schema;
  const ref = $ref ?? allOf?.[0]?.$ref;
  return { type: ref?.slice('#/components/schemas/'.length), isList: schema.items !== undefined };
}

function asJson(value: unknown): JsonObject {
  return isJsonObject(value as JsonValue) ? (value as JsonObject) : {};
}

/** The server that issues tokens sets it, not the rules of a kind. */
const setElsewhere = ['authentication/v1/TokenRequestSpec.expirationSeconds'];

/** Their defaults depend on other fields, as their texts say; or they stand in a template. */
const dependent = [
  'autoscaling/v2/HPAScalingRules.stabilizationWindowSeconds',
  'batch/v1/JobSpec.backoffLimit',
  'batch/v1/JobSpec.completions',
  'batch/v1/JobSpec.podReplacementPolicy',
  'core/v1/Container.imagePullPolicy',
  'core/v1/EphemeralContainer.imagePullPolicy',
  'core/v1/ImageVolumeSource.pullPolicy',
  'core/v1/PersistentVolumeClaim.apiVersion',
  'core/v1/PersistentVolumeClaim.kind',
  'networking/v1/NetworkPolicySpec.policyTypes',
  'rbac/v1/Subject.apiGroup',
];

describe('Defaults', () => {
  const withDefault = fields.filter(({ key, description }) => {
    return description?.default !== undefined && !setElsewhere.includes(key);
  });

  test.each(withDefault)('$key', ({ key, description }) => {
    const values = filled.filter((field) => field.key === key).map(({ value }) => value);
    expect(values.length).toBeGreaterThan(0);
    expect(values).toEqual(values.map(() => description!.default));
  });

  test('are stated wherever the rules set the same value each time', () => {
    const stated = new Set(withDefault.map(({ key }) => key));
    const others = filled.filter(({ key, isByRules }) => isByRules && !stated.has(key)).map(({ key }) => key);
    expect([...new Set(others)].sort()).toEqual(dependent);
  });
});

/** Fields that an update cannot change, in a kind that has them: it is refused, or it leaves them as they were. */
const fixed = await fixedFieldsOfAllKinds();

async function fixedFieldsOfAllKinds(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const stated = new Set(fields.filter(({ description }) => description?.immutable).map(({ key }) => key));
  for (const gvk of builtinKinds()) {
    const rules = await loadRules(gvk, { hasStatus: false });
    const previous = objectOf(gvk, skeletonOf(gvk));
    rules.default?.(previous);
    rules.prepareForCreate?.(previous);
    for (const place of placesIn(typeNameOf(gvk)!, []))
      if (stated.has(place.key) && isFixed(rules, previous, place)) found.add(place.key);
  }
  return found;
}

interface Place {
  readonly key: string;
  readonly path: readonly string[];
  readonly schema: OpenApiSchema;
}

/** The fields of an object and its parts, but not those of lists and of templates far inside. */
function* placesIn(typeName: string, path: readonly string[]): Generator<Place> {
  for (const [name, schema] of Object.entries(openapiOfType(typeName)?.properties ?? {})) {
    yield { key: `${keyOf(typeName)}.${name}`, path: [...path, name], schema };
    const { type, isList } = innerTypeOf(schema);
    if (type !== undefined && !isList && path.length < 2) yield* placesIn(type, [...path, name]);
  }
}

function isFixed(rules: ResourceRules, previous: KubernetesObject, { path, schema }: Place): boolean {
  const part = path[0] === 'status' ? (rules.subresources?.status ?? rules) : rules;
  const next = deepCopy(previous);
  const parent = valueAt(next, path.slice(0, -1)) as JsonObject;
  parent[path.at(-1)!] = changed(schema, parent[path.at(-1)!]);
  // The objects are full of mistakes, which are not what an update is refused for.
  const mistakes = new Set([...wordsOf(part.validateUpdate?.(previous, previous)), ...wordsOf(rules.validate?.(next))]);
  part.prepareForUpdate?.(next, previous);
  if (deepEqual(valueAt(next, path), valueAt(previous, path))) return true;
  return wordsOf(part.validateUpdate?.(next, previous)).some((words) => !mistakes.has(words));
}

function valueAt(object: KubernetesObject, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, name) => asJson(value)[name], asJson(object));
}

function wordsOf(findings: readonly Finding[] = []): string[] {
  return errorsIn(findings).map(({ field, body }) => `${field}: ${body}`);
}

/** Another value of the same type; of an object, with one field changed. */
function changed(schema: OpenApiSchema, value: JsonValue | undefined): JsonValue {
  const { type, isList } = innerTypeOf(schema);
  if (isList) return type === undefined ? ['other'] : [];
  if (type !== undefined && openapiOfType(type)?.format === 'date-time') return '2001-01-01T00:00:00Z';
  if (type !== undefined) {
    const [name, field] = Object.entries(openapiOfType(type)?.properties ?? {})[0] ?? ['other', {}];
    return { ...asJson(value), [name]: changed(field, asJson(value)[name]) };
  }
  if (schema.type === 'object') return { other: 'other' };
  if (schema.type === 'boolean') return !value;
  return schema.type === 'integer' ? Number(value ?? 0) + 1 : 'other';
}

/** The server sees to the metadata of all kinds alike. */
const fixedElsewhere = ['meta/v1/ObjectMeta.name', 'meta/v1/ObjectMeta.namespace', 'meta/v1/ObjectMeta.uid'];

test('Immutable fields cannot be changed', () => {
  const stated = fields.filter(({ key, description }) => description!.immutable && !fixedElsewhere.includes(key));
  expect(stated.map(({ key }) => key).filter((key) => !fixed.has(key))).toEqual([]);
});
