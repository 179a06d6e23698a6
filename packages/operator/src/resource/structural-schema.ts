import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import { deepCopy, getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '@pintle/machinery/json';
import { isKnownFormat } from '@pintle/machinery/schema';
import { table } from '@pintle/machinery/table';
import type { DefinitionProblem } from './errors.ts';
import { checksOnly, mergeObjects } from './intersections.ts';
import { EXACT_KEYWORDS, PROBLEM } from './resource-schema.ts';
import { intOrStringSchema, splitNull, uniteBranches } from './unions.ts';

interface Structural {
  readonly schema: JSONSchemaProps;
  readonly problems: readonly DefinitionProblem[];
}

/**
 * Converts a JSON Schema to a structural schema of Kubernetes: one type for each field, inlined references, `null` as
 * `nullable`, unions as checks beside the fields of all their members. Returns a problem with its path for other schemas.
 */
export function structuralSchema(json: JsonObject, path: string): Structural {
  const translation = new Translation(json);
  const schema = translation.translate(json, path);
  return { schema, problems: translation.problems };
}

/** Keywords that the server does not check. */
const ANNOTATIONS = ['title', 'description'] as const;
const CHECKS = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'multipleOf',
  'pattern',
  'uniqueItems',
] as const;
const EXTENSIONS = [
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
] as const;
const UNSUPPORTED: Readonly<Record<string, string>> = table({
  prefixItems: 'tuples have no counterpart: use an array or an object',
  patternProperties: 'keys cannot choose the shape of their values',
  if: 'a structural schema has no conditions: use a CEL rule, rule()',
  dependentSchemas: 'a structural schema has no conditions: use a CEL rule, rule()',
  dependentRequired: 'a structural schema has no conditions: use a CEL rule, rule()',
  contains: 'a structural schema has no contains: use a CEL rule, rule()',
  unevaluatedProperties: 'unevaluatedProperties has no counterpart',
  unevaluatedItems: 'unevaluatedItems has no counterpart',
  $dynamicRef: 'dynamic references have no counterpart',
});
const UNION_ADVICE = 'Kubernetes knows one type for each field';

class Translation {
  readonly problems: DefinitionProblem[] = [];
  readonly #root: JsonObject;
  /** Schemas that are being inlined, to find cycles. */
  readonly #open = new Set<JsonObject>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  translate(given: JsonValue | undefined, path: string): JSONSchemaProps {
    if (given === true || given === undefined) return { 'x-kubernetes-preserve-unknown-fields': true };
    if (!isJsonObject(given)) return this.#refuse(path, 'nothing can be stored here: leave the field out');
    const json = this.#resolve(given, path);
    if (json === undefined) return {};
    if (this.#open.has(json)) return this.#refuse(path, CYCLE);
    this.#open.add(json);
    const schema = this.#write(json, path);
    this.#open.delete(json);
    return schema;
  }

  #refuse(path: string, message: string): JSONSchemaProps {
    if (!this.problems.some((known) => known.path === path)) this.problems.push({ path, message });
    return {};
  }

  /** Resolves a reference. Keywords beside it take precedence. */
  #resolve(json: JsonObject, path: string): JsonObject | undefined {
    const { $ref, ...beside } = json;
    if ($ref === undefined) return json;
    const target = typeof $ref === 'string' ? this.#find($ref) : undefined;
    if (target === undefined) this.#refuse(path, `cannot follow the reference ${JSON.stringify($ref)}`);
    else if (this.#open.has(target)) this.#refuse(path, CYCLE);
    else return Object.keys(beside).length === 0 ? target : { ...target, ...beside };
    return undefined;
  }

  #find(reference: string): JsonObject | undefined {
    if (!reference.startsWith('#')) return undefined;
    let found: JsonValue | undefined = this.#root;
    for (const part of reference.slice(1).split('/').slice(1)) {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      found = isJsonObject(found) ? getOwn(found, name) : undefined;
    }
    return isJsonObject(found) ? found : undefined;
  }

  #write(json: JsonObject, path: string): JSONSchemaProps {
    const problem =
      json[PROBLEM] ??
      Object.keys(UNSUPPORTED).flatMap((keyword) => (keyword in json ? [UNSUPPORTED[keyword]!] : []))[0];
    if (problem !== undefined) return this.#refuse(path, String(problem));
    const { nullable, rest } = splitNull(json);
    const exact = rest[EXACT_KEYWORDS];
    if (exact !== undefined && isJsonObject(exact)) return { ...this.#writeParts(rest, path), ...deepCopy(exact) };
    const schema = this.#writeKind(rest, path);
    copyKeywords(rest, schema, [...ANNOTATIONS, ...EXTENSIONS]);
    if (rest.default !== undefined && rest.default !== null) schema.default = rest.default;
    if (!nullable) return schema;
    if (schema.enum !== undefined) return this.#refuse(path, 'null cannot be one of a few values: use optional()');
    return { ...schema, nullable };
  }

  /** Writes nested schemas only: fields, items, values by key. */
  #writeParts(json: JsonObject, path: string): JSONSchemaProps {
    const { properties, required, items, additionalProperties: values } = json;
    const parts: JSONSchemaProps = {};
    if (isJsonObject(properties) && Object.keys(properties).length > 0) {
      parts.properties = this.#writeProperties(properties, path);
      if (Array.isArray(required) && required.length > 0) parts.required = required as string[];
    } else if (isJsonObject(values) && Object.keys(values).length > 0)
      parts.additionalProperties = this.translate(values, `${path}{}`);
    if (items !== undefined) parts.items = this.translate(items, `${path}[]`);
    return parts;
  }

  #writeKind(json: JsonObject, path: string): JSONSchemaProps {
    const union = json.anyOf ?? json.oneOf;
    if (Array.isArray(union)) return this.#writeUnion(json, union, path);
    const parts = Array.isArray(json.allOf) ? json.allOf : [];
    if (parts.some(hasShape)) return this.#writeIntersection(json, parts, path);
    if (json['x-kubernetes-int-or-string'] === true) return copyKeywords(json, intOrStringSchema(), CHECKS);
    if (Array.isArray(json.type)) return this.#writeTypes(json, json.type, path);
    if (isJsonObject(json.not))
      return this.#refuse(path, 'a structural schema has no negations: use a CEL rule, rule()');
    const schema = this.#writeSimple(json, path);
    if (parts.length > 0) schema.allOf = parts.map((part) => this.#writeChecks(part, schema, path));
    return schema;
  }

  #writeChecks(part: JsonValue, { type }: JSONSchemaProps, path: string): JSONSchemaProps {
    return checksOnly(this.translate(isJsonObject(part) && type !== undefined ? { type, ...part } : part, path));
  }

  #writeSimple(json: JsonObject, path: string): JSONSchemaProps {
    const values = json.const === undefined ? json.enum : [json.const];
    const type = json.type ?? typeOfValues(values);
    switch (type) {
      case 'object':
        return this.#writeObject(json, path);
      case 'array':
        return this.#writeArray(json, path);
      case 'string':
      case 'integer':
      case 'number':
      case 'boolean':
        return writeScalar(json, type, values);
      case 'null':
        return this.#refuse(path, 'null alone cannot be stored: leave the field out');
      default:
        if (Array.isArray(values)) return this.#refuse(path, `the values are of several types: ${UNION_ADVICE}`);
        return { 'x-kubernetes-preserve-unknown-fields': true };
    }
  }

  #writeTypes(json: JsonObject, types: readonly JsonValue[], path: string): JSONSchemaProps {
    const { type: _type, ...shared } = json;
    return this.#writeUnion(
      json,
      types.map((type) => ({ ...shared, type })),
      path,
    );
  }

  #writeUnion(json: JsonObject, members: readonly JsonValue[], path: string): JSONSchemaProps {
    const branches = members.map((member) => this.translate(member, path));
    const united = uniteBranches(branches, { isExclusive: json.oneOf !== undefined, advice: UNION_ADVICE });
    if ('problem' in united) return this.#refuse(path + (united.at ?? ''), united.problem);
    return united.schema;
  }

  #writeIntersection(json: JsonObject, parts: readonly JsonValue[], path: string): JSONSchemaProps {
    const { allOf: _allOf, ...own } = json;
    const members = hasShape(own) ? [own, ...parts] : parts;
    const merged = mergeObjects(members.map((member) => this.translate(member, path)));
    if ('problem' in merged) return this.#refuse(path + (merged.at ?? ''), merged.problem);
    return merged.schema;
  }

  #writeArray(json: JsonObject, path: string): JSONSchemaProps {
    const schema: JSONSchemaProps = { type: 'array', items: this.translate(json.items ?? true, `${path}[]`) };
    if (json.uniqueItems === true) return this.#refuse(path, 'items cannot be compared at this cost: use listSet()');
    return copyKeywords(json, schema, CHECKS);
  }

  #writeObject(json: JsonObject, path: string): JSONSchemaProps {
    const schema: JSONSchemaProps = { type: 'object' };
    copyKeywords(json, schema, CHECKS);
    if (Array.isArray(json.required) && json.required.length > 0) schema.required = json.required as string[];
    const properties = isJsonObject(json.properties) ? json.properties : {};
    const names = Object.keys(properties);
    if (names.length > 0) schema.properties = this.#writeProperties(properties, path);
    const others = json.additionalProperties;
    if (others === undefined || others === false) return schema;
    if (json.propertyNames !== undefined && names.length === 0) return this.#writeRecord(json, others, schema, path);
    if (others === true || (isJsonObject(others) && Object.keys(others).length === 0))
      schema['x-kubernetes-preserve-unknown-fields'] = true;
    else if (names.length > 0)
      return this.#refuse(path, 'an object has either fields with names or values by key, not both');
    else schema.additionalProperties = this.translate(others, `${path}{}`);
    return schema;
  }

  #writeProperties(properties: JsonObject, path: string): Record<string, JSONSchemaProps> {
    const written: Record<string, JSONSchemaProps> = {};
    for (const [name, property] of Object.entries(properties))
      setOwn(written, name, this.translate(property, path === '' ? name : `${path}.${name}`));
    return written;
  }

  /** Writes a map; with an enum of keys, an object with these fields. */
  #writeRecord(json: JsonObject, values: JsonValue, schema: JSONSchemaProps, path: string): JSONSchemaProps {
    const keys = this.translate(json.propertyNames, `${path}{}`);
    if (keys.enum !== undefined) {
      const fields: JsonObject = {};
      for (const key of keys.enum) setOwn(fields, String(key), values);
      schema.properties = this.#writeProperties(fields, path);
      return schema;
    }
    const checked = Object.keys(checksOnly(keys));
    if (checked.length > 0)
      return this.#refuse(path, `keys cannot be checked for ${checked.join(', ')}: use a CEL rule, rule()`);
    schema.additionalProperties = this.translate(values, `${path}{}`);
    return schema;
  }
}

const CYCLE = 'it contains itself, and the schema of a resource must end: use z.unknown() at some depth';

function hasShape(json: JsonValue): boolean {
  return isJsonObject(json) && ['type', 'properties', '$ref', 'anyOf', 'oneOf'].some((keyword) => keyword in json);
}

function copyKeywords(from: JsonObject, to: JSONSchemaProps, keywords: readonly string[]): JSONSchemaProps {
  return Object.assign(
    to,
    Object.fromEntries(keywords.flatMap((keyword) => (from[keyword] === undefined ? [] : [[keyword, from[keyword]]]))),
  );
}

function typeOfValues(values: JsonValue | undefined): string | undefined {
  if (!Array.isArray(values)) return undefined;
  const types = new Set(values.map((value) => typeof value));
  const [type] = types;
  return types.size === 1 && type !== 'object' ? type : undefined;
}

function writeScalar(
  json: JsonObject,
  type: 'string' | 'integer' | 'number' | 'boolean',
  values: JsonValue | undefined,
): JSONSchemaProps {
  const schema: JSONSchemaProps = { type };
  const format = json.format === 'base64' ? 'byte' : json.format;
  // Kubernetes has durations of Go, JSON Schema those of ISO 8601.
  if (typeof format === 'string' && format !== 'duration' && isKnownFormat(type, format)) schema.format = format;
  if (Array.isArray(values)) schema.enum = values as NonNullable<JSONSchemaProps['enum']>;
  if (type === 'integer' || type === 'number') writeBounds(json, schema);
  return copyKeywords(json, schema, CHECKS);
}

/** Leaves out bounds that all numbers of the type satisfy. */
function writeBounds(json: JsonObject, schema: JSONSchemaProps): void {
  const least = bound(json.minimum, json.exclusiveMinimum, Math.max);
  const most = bound(json.maximum, json.exclusiveMaximum, Math.min);
  const edge = schema.format === 'int32' ? 2 ** 31 : 2 ** 53;
  if (least !== undefined && !(schema.type === 'integer' && least.value <= (edge === 2 ** 53 ? 1 - edge : -edge))) {
    schema.minimum = least.value;
    if (least.isExclusive) schema.exclusiveMinimum = true;
  }
  if (most !== undefined && !(schema.type === 'integer' && most.value >= edge - 1)) {
    schema.maximum = most.value;
    if (most.isExclusive) schema.exclusiveMaximum = true;
  }
}

function bound(
  inclusive: JsonValue | undefined,
  exclusive: JsonValue | undefined,
  stricter: (a: number, b: number) => number,
): { readonly value: number; readonly isExclusive: boolean } | undefined {
  if (typeof exclusive !== 'number')
    return typeof inclusive === 'number' ? { value: inclusive, isExclusive: exclusive === true } : undefined;
  if (typeof inclusive !== 'number') return { value: exclusive, isExclusive: true };
  const value = stricter(inclusive, exclusive);
  return { value, isExclusive: value === exclusive };
}
