import { type FieldError, forbidden, invalid, notSupported, required } from '../../errors/index.ts';
import { getOwn, type JsonObject } from '../../json/index.ts';
import { childAt, flagAt, hasDefault, objectAt, type SchemaAtPath, textAt, textsAt } from './schema-json.ts';

const listTypeKeyword = 'x-kubernetes-list-type';
const keysKeyword = 'x-kubernetes-list-map-keys';

/** Checks which lists are sets or maps, and the schemas of their items. */
export function checkListKeys(schema: SchemaAtPath, errors: FieldError[]): void {
  const listType = getOwn(schema.json, listTypeKeyword);
  if (typeof listType === 'string') checkListType(schema, listType, errors);
  const keys = textsAt(schema.json, keysKeyword);
  if (keys.length > 0) checkKeysHaveType(schema, listType, errors);
  if (listType === 'map') checkKeyedList(schema, keys, errors);
  const items = childAt(schema, 'items');
  if (items !== undefined && (listType === 'map' || listType === 'set')) checkNulls(items, listType, keys, errors);
}

function checkListType(schema: SchemaAtPath, listType: string, errors: FieldError[]): void {
  const { json, path } = schema;
  const type = textAt(json, 'type');
  const detail = `must be array if ${listTypeKeyword} is specified`;
  if (type === '') errors.push(required(path.child('type'), detail));
  else if (type !== 'array') errors.push(invalid(path.child('type'), type, detail));
  else if (listType === 'set') checkItemsOfSet(schema, errors);
  if (listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
    errors.push(notSupported(path.child(listTypeKeyword), listType, ['atomic', 'set', 'map']));
  }
}

/** The items of a set are compared as a whole, so they must be merged as a whole. */
function checkItemsOfSet(schema: SchemaAtPath, errors: FieldError[]): void {
  const items = childAt(schema, 'items');
  if (items === undefined) return;
  const { json, path } = items;
  const type = textAt(json, 'type');
  const listType = getOwn(json, listTypeKeyword) ?? null;
  const detail = `must be atomic as item of a list with ${listTypeKeyword}=set`;
  if (type === 'array' && listType !== null && listType !== 'atomic') {
    errors.push(invalid(path.child(listTypeKeyword), listType, detail));
  }
  if (type === 'object' && textAt(json, 'x-kubernetes-map-type') !== 'atomic') {
    // Kubernetes quotes the list type of the items here, which objects do not have.
    errors.push(invalid(path.child('x-kubernetes-map-type'), listType, detail));
  }
}

function checkKeysHaveType({ path }: SchemaAtPath, listType: unknown, errors: FieldError[]): void {
  const detail = `must be map if ${keysKeyword} is non-empty`;
  if (typeof listType !== 'string') errors.push(required(path.child(listTypeKeyword), detail));
  else if (listType !== 'map') errors.push(invalid(path.child(listTypeKeyword), listType, detail));
}

function checkKeyedList(schema: SchemaAtPath, keys: readonly string[], errors: FieldError[]): void {
  const { path } = schema;
  if (keys.length === 0)
    errors.push(required(path.child(keysKeyword), `must not be empty if ${listTypeKeyword} is map`));
  const items = childAt(schema, 'items');
  if (items === undefined) {
    if (getOwn(schema.json, 'items') === undefined) {
      errors.push(required(path.child('items'), `must have a schema if ${listTypeKeyword} is map`));
    }
    return;
  }
  const type = textAt(items.json, 'type');
  if (type === 'object') checkKeys(schema, items, keys, errors);
  else
    errors.push(invalid(items.path.child('type'), type, `must be object if parent array's ${listTypeKeyword} is map`));
}

function checkKeys({ path }: SchemaAtPath, items: SchemaAtPath, keys: readonly string[], errors: FieldError[]): void {
  const properties = objectAt(items.json, 'properties') ?? {};
  const seen = new Set<string>();
  for (const key of keys) {
    const property = objectAt(properties, key);
    if (property === undefined) {
      errors.push(invalid(path.child(keysKeyword), keys, 'entries must all be names of item properties'));
    } else if (textAt(property, 'type') === 'array' || textAt(property, 'type') === 'object') {
      const detail = `must be a scalar type if parent array's ${listTypeKeyword} is map`;
      errors.push(invalid(items.path.child('properties').key(key).child('type'), 'object', detail));
    }
    if (seen.has(key)) errors.push(invalid(path.child(keysKeyword), keys, 'must not contain duplicate entries'));
    seen.add(key);
  }
}

/** Items need a key that is not null, or they could not be distinguished. */
function checkNulls(items: SchemaAtPath, listType: string, keys: readonly string[], errors: FieldError[]): void {
  if (flagAt(items.json, 'nullable')) {
    errors.push(forbidden(items.path.child('nullable'), `cannot be nullable when ${listTypeKeyword} is ${listType}`));
  }
  if (listType !== 'map') return;
  const isRequired = new Set(textsAt(items.json, 'required'));
  const properties = objectAt(items.json, 'properties') ?? {};
  for (const key of keys) {
    const property = objectAt(properties, key);
    if (property !== undefined) checkKeyProperty(property, items, key, isRequired.has(key), errors);
  }
}

function checkKeyProperty(
  property: JsonObject,
  items: SchemaAtPath,
  key: string,
  isRequired: boolean,
  errors: FieldError[],
): void {
  const path = items.path.child('properties').key(key);
  const reason = `this property is in ${keysKeyword}, so it`;
  if (!isRequired && !hasDefault(property)) {
    errors.push(required(path.child('default'), `${reason} must have a default or be a required property`));
  }
  if (flagAt(property, 'nullable')) errors.push(forbidden(path.child('nullable'), `${reason} cannot be nullable`));
}
