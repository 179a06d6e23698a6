import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { deepEqual, getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '@pintle/machinery/json';
import { checksOnly } from './intersections.ts';

export type United =
  | { readonly schema: JSONSchemaProps }
  /** `at` is the path below the union, such as `.name`. */
  | { readonly problem: string; readonly at?: string };

/** Splits `null` from the allowed values. */
export function splitNull(json: JsonObject): { readonly nullable: boolean; readonly rest: JsonObject } {
  for (const word of ['anyOf', 'oneOf'] as const) {
    const members = json[word];
    if (!Array.isArray(members) || !members.some(isNull)) continue;
    const others = members.filter((member) => !isNull(member));
    const { [word]: _members, ...outer } = json;
    const [only] = others;
    const rest = others.length === 1 && isJsonObject(only!) ? { ...only, ...outer } : { ...json, [word]: others };
    return { nullable: true, rest };
  }
  if (Array.isArray(json.type) && json.type.includes('null')) {
    const types = json.type.filter((type) => type !== 'null');
    return { nullable: true, rest: { ...json, type: types.length === 1 ? types[0]! : types } };
  }
  if (Array.isArray(json.enum) && json.enum.length > 1 && json.enum.includes(null))
    return { nullable: true, rest: { ...json, enum: json.enum.filter((value) => value !== null) } };
  return { nullable: json.nullable === true, rest: json };
}

function isNull(member: JsonValue): boolean {
  return isJsonObject(member) && (member.type === 'null' || ('const' in member && member.const === null));
}

/**
 * Merges the members of a union into one schema. Kubernetes requires all fields and types in one place; the differences between
 * the members go beside them, as checks only:
 *
 *     { type: 'a', x: int } | { type: 'b' }
 *     ► properties: { type: string of a, b; x: int }, oneOf: [{ type is a, x required }, { type is b }]
 */
export function uniteBranches(
  branches: readonly JSONSchemaProps[],
  { isExclusive, advice }: { readonly isExclusive: boolean; readonly advice: string },
): United {
  const [first] = branches;
  if (first === undefined) return { problem: 'a union needs members' };
  if (branches.length === 1) return { schema: first };
  if (branches.some((branch) => Object.keys(branch).length === 0)) return { schema: {} };
  const nullable = branches.some((branch) => branch.nullable);
  const united = unite(branches, isExclusive ? 'oneOf' : 'anyOf', advice);
  return nullable && 'schema' in united ? { schema: { ...united.schema, nullable } } : united;
}

function unite(branches: readonly JSONSchemaProps[], word: 'anyOf' | 'oneOf', advice: string): United {
  const types = new Set(branches.map(({ type }) => type));
  const [type] = types;
  if (isIntOrString(branches)) return uniteIntOrString(branches);
  if (types.size > 1 || type === undefined) return { problem: `a union of ${listed(branches)}: ${advice}` };
  if (type === 'object') return uniteObjects(branches, word);
  if (type === 'array') {
    const isSame = branches.every((branch) => deepEqual(branch, branches[0]));
    return isSame
      ? { schema: branches[0]! }
      : { problem: 'a union of arrays: let the items be of several kinds instead' };
  }
  return { schema: uniteScalars(branches, type, word) };
}

function listed(branches: readonly JSONSchemaProps[]): string {
  const names = [...new Set(branches.map(({ type }) => type ?? 'anything'))];
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function isIntOrString(branches: readonly JSONSchemaProps[]): boolean {
  const types = branches.map((branch) => (branch['x-kubernetes-int-or-string'] ? 'either' : branch.type)).sort();
  return types.length === 2 && types[0] === 'integer' && types[1] === 'string';
}

/** Returns the only union of types that Kubernetes allows, in the form that code generators recognize. */
export function intOrStringSchema(): JSONSchemaProps {
  return { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
}

/** Merges checks: those of numbers ignore strings, and the other way round. An enum would not. */
function uniteIntOrString(branches: readonly JSONSchemaProps[]): United {
  if (branches.some((branch) => branch.enum !== undefined))
    return { problem: 'a number or a string cannot be one out of a list' };
  const checks = branches.map((branch) => checksOnly(branch));
  for (const check of checks) delete check.format;
  return { schema: Object.assign(intOrStringSchema(), ...checks) as JSONSchemaProps };
}

function uniteScalars(branches: readonly JSONSchemaProps[], type: string, word: 'anyOf' | 'oneOf'): JSONSchemaProps {
  const checks = branches.map(checksOnly);
  const values = checks.flatMap((check) => (check.enum === undefined ? [] : check.enum));
  const isChoice = checks.every((check) => check.enum !== undefined && Object.keys(check).length === 1);
  if (isChoice) return { type, enum: [...new Set(values)] };
  // A member without checks accepts the values of the others.
  if (word === 'anyOf' && checks.some((check) => Object.keys(check).length === 0)) return { type };
  return { type, [word]: checks };
}

/** Checks of one member. */
interface Branch {
  readonly properties: Record<string, JSONSchemaProps>;
  readonly required: readonly string[];
  readonly checks: JSONSchemaProps;
}

function uniteObjects(branches: readonly JSONSchemaProps[], word: 'anyOf' | 'oneOf'): United {
  if (branches.some((branch) => branch.additionalProperties !== undefined))
    return { problem: 'a union with values by key: use a CEL rule, rule()' };
  if (branches.some((branch) => branch['x-kubernetes-validations'] !== undefined))
    return { problem: 'rules of a member would bind all members: put rule() around the union' };
  const properties: Record<string, JSONSchemaProps> = {};
  const parts = branches.map(partOf);
  for (const name of new Set(branches.flatMap((branch) => Object.keys(branch.properties ?? {})))) {
    const shared = shareProperty(name, branches, parts);
    if ('problem' in shared) return { ...shared, at: `.${name}` };
    setOwn(properties, name, shared.schema);
  }
  const schema: JSONSchemaProps = { type: 'object', properties };
  if (branches.some((branch) => branch['x-kubernetes-preserve-unknown-fields']))
    schema['x-kubernetes-preserve-unknown-fields'] = true;
  const always = parts[0]!.required.filter((name) => parts.every(({ required }) => required.includes(name)));
  if (always.length > 0) schema.required = always;
  return { schema: { ...schema, [word]: parts.map((part) => writeBranch(part, always)) } };
}

function partOf(branch: JSONSchemaProps): Branch {
  const { properties: _properties, required = [], ...checks } = checksOnly(branch);
  return { properties: {}, required, checks };
}

function writeBranch({ properties, required, checks }: Branch, always: readonly string[]): JSONSchemaProps {
  const others = required.filter((name) => !always.includes(name));
  return {
    ...checks,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(others.length > 0 && { required: others }),
  };
}

/** Returns the part of a field's schema that all members share; adds the differences to their parts. */
function shareProperty(name: string, branches: readonly JSONSchemaProps[], parts: readonly Branch[]): United {
  const schemas = branches.map((branch) => getOwn(branch.properties ?? {}, name));
  const given = schemas.filter((schema) => schema !== undefined);
  const [first] = given;
  if (given.length < schemas.length && given.some((schema) => schema.default !== undefined))
    return { problem: 'a default of one member of a union would be given to all members' };
  if (given.every((schema) => deepEqual(schema, first))) return { schema: first! };
  const type = first!.type;
  const isScalar = type !== undefined && type !== 'object' && type !== 'array';
  if (!isScalar || given.some((schema) => schema.type !== type || schema.nullable !== first!.nullable))
    return { problem: 'the members of the union disagree about its shape' };
  if (given.some((schema) => schema.default !== undefined))
    return { problem: 'a default of one member of a union would be given to all members' };
  for (const [index, schema] of schemas.entries()) {
    const checks = schema && checksOnly(schema);
    if (checks && Object.keys(checks).length > 0) setOwn(parts[index]!.properties, name, checks);
  }
  const { description } = given.find((schema) => schema.description !== undefined) ?? {};
  const isChoice = given.every((schema) => schema.enum !== undefined);
  const choices = isChoice && { enum: [...new Set(given.flatMap((schema) => schema.enum ?? []))] };
  const nullable = first!.nullable && { nullable: true };
  return { schema: { type, ...choices, ...nullable, ...(description !== undefined && { description }) } };
}
