import { type FieldError, forbidden, invalid, required } from '../../errors/index.ts';
import { deepEqual, getOwn, isJsonObject, type JsonObject } from '../../json/index.ts';
import { compilePattern } from '../patterns.ts';
import {
  childAt,
  flagAt,
  hasDefault,
  isSet,
  listAt,
  listedChildren,
  maxErrors,
  namedChild,
  namedChildren,
  objectAt,
  type SchemaAtPath,
  textAt,
} from './schema-json.ts';

type Level = 'root' | 'item' | 'field';

/**
 * Checks the rules that make a schema structural: every field has one type, specified once, outside of combinators; and
 * metadata is left to the server.
 */
export function checkInvariants(schema: SchemaAtPath, errors: FieldError[], level: Level = 'root'): void {
  if (errors.length >= maxErrors) return;
  const { json } = schema;
  checkItems(schema, errors);
  for (const [, property] of namedChildren(schema, 'properties')) checkInvariants(property, errors, 'field');
  checkAdditional(schema, level, errors);
  checkExtensions(schema, errors);
  const isIntOrString = isIntOrStringPair(listAt(json, 'anyOf'));
  checkCombinators(schema, { skipsAnyOf: isIntOrString, skipsFirstAnyOf: startsWithIntOrString(json) }, errors);
  checkType(schema, level, errors);
  checkMetaFields(schema, level, errors);
  const isBareResource = flagAt(json, embedded) && !flagAt(json, preserve) && !isSet(json, 'properties');
  if (isBareResource)
    errors.push(
      required(schema.path.child('properties'), `must not be empty if ${embedded} is true without ${preserve}`),
    );
}

const embedded = 'x-kubernetes-embedded-resource';
const preserve = 'x-kubernetes-preserve-unknown-fields';
const intOrString = 'x-kubernetes-int-or-string';

function checkItems(schema: SchemaAtPath, errors: FieldError[]): void {
  const items = childAt(schema, 'items');
  if (items !== undefined) checkInvariants(items, errors, 'item');
  else if (textAt(schema.json, 'type') === 'array') {
    errors.push(required(schema.path.child('items'), 'must be specified'));
  }
}

function checkAdditional(schema: SchemaAtPath, level: Level, errors: FieldError[]): void {
  const { json } = schema;
  if (getOwn(json, 'additionalProperties') === undefined) return;
  const { path } = schema;
  if (level === 'root') errors.push(forbidden(path.child('additionalProperties'), 'must not be used at the root'));
  const values = childAt(schema, 'additionalProperties');
  if (values !== undefined) checkInvariants(values, errors, 'field');
  if (flagAt(json, embedded)) {
    errors.push(forbidden(path.child('additionalProperties'), `must not be used if ${embedded} is set`));
  }
}

function checkExtensions(schema: SchemaAtPath, errors: FieldError[]): void {
  const { json } = schema;
  if (!flagAt(json, intOrString)) return;
  const { path } = schema;
  for (const other of [preserve, embedded]) {
    if (flagAt(json, other)) errors.push(invalid(path.child(other), true, `must be false if ${intOrString} is true`));
  }
}

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function checkType(schema: SchemaAtPath, level: Level, errors: FieldError[]): void {
  const { json } = schema;
  const type = textAt(json, 'type');
  if (type !== '' && level !== 'root' && !flagAt(json, embedded)) return;
  const at = schema.path.child('type');
  const detail = `must be object if ${embedded} is true`;
  if (flagAt(json, embedded) && type !== 'object') {
    errors.push(type === '' ? required(at, detail) : invalid(at, type, detail));
  } else if (type === '' && !flagAt(json, intOrString) && !flagAt(json, preserve)) {
    errors.push(required(at, missingType[level]));
  }
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalid(at, type, 'must be object at the root'));
}

/** The server specifies apiVersion, kind and metadata: a schema may only narrow the name. */
function checkMetaFields(schema: SchemaAtPath, level: Level, errors: FieldError[]): void {
  const isResource = level === 'root' || flagAt(schema.json, embedded);
  if (!isResource) return;
  for (const name of ['kind', 'apiVersion', 'metadata']) {
    const field = namedChild(schema, 'properties', name);
    if (field === undefined) continue;
    const { json, path } = field;
    const type = textAt(json, 'type');
    if (name !== 'metadata' && type !== 'string') {
      errors.push(invalid(path.child('type'), type, 'must be string'));
    }
    if (name !== 'metadata') continue;
    if (type !== 'object') errors.push(invalid(path.child('type'), type, 'must be object'));
    if (level === 'root' && !onlyNarrowsName(json)) {
      const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
      errors.push(forbidden(path, detail));
    }
  }
}

/** Keywords of metadata that are checked elsewhere. */
const checkedElsewhere = new Set(['type', 'default', 'properties']);
/** Keywords whose zero value counts as unset. Any other keyword is set as soon as it is not null. */
const unsetWhenEmpty = new Set([
  ...['$ref', '$schema', 'id', 'title', 'description', 'format', 'pattern', 'nullable', 'uniqueItems'],
  ...['exclusiveMaximum', 'exclusiveMinimum', 'enum', 'allOf', 'anyOf', 'oneOf'],
  ...['definitions', 'dependencies', 'patternProperties', preserve, embedded, intOrString],
]);

function onlyNarrowsName(metadata: JsonObject): boolean {
  const names = Object.keys(objectAt(metadata, 'properties') ?? {});
  if (!names.every((name) => name === 'name' || name === 'generateName')) return false;
  return Object.keys(metadata).every((keyword) => checkedElsewhere.has(keyword) || isUnset(metadata, keyword));
}

function isUnset(json: JsonObject, keyword: string): boolean {
  return unsetWhenEmpty.has(keyword) ? !isSet(json, keyword) : getOwn(json, keyword) === null;
}

/** Combinators in which an int-or-string may specify its two types, although combinators must not specify types. */
interface Exceptions {
  readonly skipsAnyOf: boolean;
  readonly skipsFirstAnyOf: boolean;
}

function checkCombinators(schema: SchemaAtPath, exceptions: Exceptions, errors: FieldError[]): void {
  if (!exceptions.skipsAnyOf) for (const inner of listedChildren(schema, 'anyOf')) checkNested(inner, false, errors);
  listedChildren(schema, 'allOf').forEach((inner, index) => {
    checkNested(inner, exceptions.skipsFirstAnyOf && index === 0, errors);
  });
  for (const inner of listedChildren(schema, 'oneOf')) checkNested(inner, false, errors);
  const not = childAt(schema, 'not');
  if (not !== undefined) checkNested(not, false, errors);
  checkPattern(schema, errors);
}

function checkPattern(schema: SchemaAtPath, errors: FieldError[]): void {
  const pattern = textAt(schema.json, 'pattern');
  if (pattern === '') return;
  const result = compilePattern(pattern);
  if (!('problem' in result)) return;
  const detail = `must be a valid regular expression, but isn't: ${result.problem}`;
  errors.push(invalid(schema.path.child('pattern'), pattern, detail));
}

/** Keywords that a schema inside a combinator must not set, with Kubernetes' messages. */
const forbiddenInside: readonly (readonly [keyword: string, detail: string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  [preserve, 'must be false to be structural'],
  [embedded, 'must be false to be structural'],
  [intOrString, 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function checkNested(schema: SchemaAtPath, skipsAnyOf: boolean, errors: FieldError[]): void {
  const { json } = schema;
  checkCombinators(schema, { skipsAnyOf, skipsFirstAnyOf: false }, errors);
  const items = childAt(schema, 'items');
  if (items !== undefined) checkNested(items, false, errors);
  for (const [, property] of namedChildren(schema, 'properties')) checkNested(property, false, errors);
  for (const [keyword, detail] of forbiddenInside) {
    if (isGiven(json, keyword)) errors.push(forbidden(schema.path.child(keyword), detail));
  }
  forbidMetadata(schema, errors);
}

/** Keywords that count as set even when they are empty. */
const setWhenEmpty = new Set(['x-kubernetes-list-type', 'x-kubernetes-map-type']);

function isGiven(json: JsonObject, keyword: string): boolean {
  if (keyword === 'additionalProperties') return (getOwn(json, keyword) || null) !== null;
  if (setWhenEmpty.has(keyword)) return (getOwn(json, keyword) ?? null) !== null;
  return keyword === 'default' ? hasDefault(json) : isSet(json, keyword);
}

function forbidMetadata(schema: SchemaAtPath, errors: FieldError[]): void {
  if (namedChild(schema, 'properties', 'metadata') === undefined) return;
  errors.push(forbidden(schema.path.child('properties').key('metadata'), 'must not be specified in a nested context'));
}

function startsWithIntOrString(json: JsonObject): boolean {
  const first = listAt(json, 'allOf')[0];
  return isJsonObject(first) && isIntOrStringPair(listAt(first, 'anyOf'));
}

function isIntOrStringPair(schemas: readonly unknown[]): boolean {
  return schemas.length === 2 && deepEqual(schemas, [{ type: 'integer' }, { type: 'string' }]);
}
