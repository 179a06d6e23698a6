import { type FieldError, forbidden, invalid, notSupported, required } from '../../errors/index.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import { checkListKeys } from './list-keywords.ts';
import { checkRuleTexts } from './rule-texts.ts';
import {
  childAt,
  flagAt,
  hasDefault,
  isSet,
  listedChildren,
  maxErrors,
  namedChildren,
  objectAt,
  type SchemaAtPath,
  textAt,
} from './schema-json.ts';

/** The position of a schema in an object, as far as it decides which keywords are allowed. */
interface Position {
  readonly isRoot: boolean;
  readonly isInsideMeta: boolean;
  /** The reason why defaults are forbidden: `in top-level metadata`. */
  readonly forbidsDefaults?: string;
}

/** Checks which keywords a schema uses, and with which values. */
export function checkKeywords(
  schema: SchemaAtPath,
  errors: FieldError[],
  position: Position = { isRoot: true, isInsideMeta: false },
): void {
  if (errors.length >= maxErrors) return;
  const { json } = schema;
  checkStandard(schema, position, errors);
  if (flagAt(json, 'uniqueItems')) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(schema.path.child('uniqueItems'), detail));
  }
  checkAdditional(schema, position, errors);
  for (const [name, property] of namedChildren(schema, 'properties')) {
    checkKeywords(property, errors, positionOfProperty(name, json, position));
  }
  const inside = { ...position, isRoot: false };
  const not = childAt(schema, 'not');
  const combinators = ['allOf', 'oneOf', 'anyOf'].flatMap((keyword) => listedChildren(schema, keyword));
  for (const inner of not === undefined ? combinators : [not, ...combinators]) checkKeywords(inner, errors, inside);
  for (const [, inner] of namedChildren(schema, 'definitions')) checkKeywords(inner, errors, inside);
  const items = childAt(schema, 'items');
  for (const inner of items === undefined ? listedChildren(schema, 'items') : [items]) {
    checkKeywords(inner, errors, inside);
  }
  for (const [, inner] of namedChildren(schema, 'dependencies')) checkKeywords(inner, errors, inside);
  checkMapType(schema, errors);
  checkListKeys(schema, errors);
  checkRuleTexts(schema, errors);
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

function checkStandard(schema: SchemaAtPath, position: Position, errors: FieldError[]): void {
  const { json } = schema;
  const type = textAt(json, 'type');
  if (type !== '' && !types.includes(type)) errors.push(notSupported(schema.path.child('type'), type, types));
  if (hasDefault(json) && position.forbidsDefaults !== undefined) {
    errors.push(forbidden(schema.path.child('default'), `must not be set ${position.forbidsDefaults}`));
  }
  for (const keyword of unsupported) {
    if (isUsed(json, keyword)) errors.push(forbidden(schema.path.child(keyword), `${keyword} is not supported`));
  }
  if (type === 'null') {
    errors.push(forbidden(schema.path.child('type'), 'type cannot be set to null, use nullable as an alternative'));
  }
  const items = getOwn(json, 'items');
  if (Array.isArray(items) && items.length > 0) {
    errors.push(forbidden(schema.path.child('items'), 'items must be a schema object and not an array'));
  }
  if (position.isInsideMeta && flagAt(json, 'x-kubernetes-embedded-resource')) {
    errors.push(
      forbidden(schema.path.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'),
    );
  }
}

function isUsed(json: JsonObject, keyword: string): boolean {
  if (keyword === 'additionalItems' || keyword === 'dependencies' || keyword === '$ref') {
    return (getOwn(json, keyword) ?? null) !== null;
  }
  return isSet(json, keyword);
}

function checkAdditional(schema: SchemaAtPath, position: Position, errors: FieldError[]): void {
  const { json } = schema;
  const additional = getOwn(json, 'additionalProperties') ?? null;
  if (additional === null) return;
  if (isSet(json, 'properties') && additional !== true) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbidden(schema.path.child('additionalProperties'), detail));
  }
  const values = childAt(schema, 'additionalProperties');
  if (values === undefined) return;
  const reason = 'inside additionalProperties applying to object metadata';
  const inside = { ...position, isRoot: false };
  checkKeywords(values, errors, position.isInsideMeta ? { ...inside, forbidsDefaults: reason } : inside);
}

function positionOfProperty(name: string, parent: JsonObject, position: Position): Position {
  const isMetaField = name === 'metadata' || name === 'kind' || name === 'apiVersion';
  if (!isMetaField) return { ...position, isRoot: false };
  if (position.isRoot) return { isRoot: false, isInsideMeta: true, forbidsDefaults: `in top-level ${name}` };
  const isInsideMeta = position.isInsideMeta || flagAt(parent, 'x-kubernetes-embedded-resource');
  return { ...position, isRoot: false, isInsideMeta };
}

function checkMapType(schema: SchemaAtPath, errors: FieldError[]): void {
  const { json } = schema;
  if (getOwn(json, 'x-kubernetes-preserve-unknown-fields') === false) {
    errors.push(invalid(schema.path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  }
  const mapType = getOwn(json, 'x-kubernetes-map-type');
  if (typeof mapType !== 'string') return;
  const { path } = schema;
  const type = textAt(json, 'type');
  const detail = 'must be object if x-kubernetes-map-type is specified';
  if (type === '') errors.push(required(path.child('type'), detail));
  else if (type !== 'object') errors.push(invalid(path.child('type'), type, detail));
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupported(path.child('x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  }
}

/** Returns why a schema cannot be converted to a structural one; `undefined` when it can. */
export function nonStructuralReason(json: JsonObject): string | undefined {
  for (const keyword of [...unsupported, '$schema']) {
    if (keyword === 'additionalItems' ? isUsed(json, keyword) : isSet(json, keyword)) {
      return `OpenAPIV3Schema '${keyword === '$schema' ? 'schema' : keyword}' is not supported`;
    }
  }
  if (Array.isArray(getOwn(json, 'items'))) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  if (getOwn(json, 'x-kubernetes-preserve-unknown-fields') === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  for (const keyword of ['additionalProperties', 'items', 'not']) {
    const reason = reasonIn(getOwn(json, keyword));
    if (reason !== undefined) return reason;
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const reason = firstReason(getOwn(json, keyword));
    if (reason !== undefined) return reason;
  }
  const properties = objectAt(json, 'properties');
  return properties && firstReason(Object.values(properties));
}

function firstReason(schemas: JsonValue | undefined): string | undefined {
  if (!Array.isArray(schemas)) return undefined;
  for (const schema of schemas) {
    const reason = reasonIn(schema);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function reasonIn(schema: JsonValue | undefined): string | undefined {
  return isJsonObject(schema) ? nonStructuralReason(schema) : undefined;
}
