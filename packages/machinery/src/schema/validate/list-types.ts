import { type FieldError, invalid } from '../../errors/index.ts';
import { isJsonObject, type JsonValue } from '../../json/index.ts';
import { PathStack } from '../path-stack.ts';
import { hasBelow, type SchemaNode } from '../schema-node.ts';
import { listMapKey, listMapKeyText, textOf } from './list-keys.ts';
import { shownValue } from './types.ts';

/** Checks that the items of sets and the keys of keyed lists are unique, everywhere in a value. */
export function checkListTypes(value: JsonValue, node: SchemaNode, errors: FieldError[]): void {
  visit(value, node, new PathStack(), errors);
}

const hasKeyedLists = hasBelow((schema) => schema.listType === 'set' || schema.listType === 'map');

function visit(value: JsonValue, node: SchemaNode, path: PathStack, errors: FieldError[]): void {
  if (typeof value !== 'object' || value === null || !hasKeyedLists(node)) return;
  if (Array.isArray(value)) visitItems(value, node, path, errors);
  else if (isJsonObject(value)) visitFields(value, node, path, errors);
}

function visitFields(
  object: { [key: string]: JsonValue },
  node: SchemaNode,
  path: PathStack,
  errors: FieldError[],
): void {
  for (const name of Object.keys(object)) {
    const property = node.properties.get(name);
    const field = property ?? node.values;
    if (field === undefined) continue;
    if (property === undefined) path.pushKey(name);
    else path.push(name);
    visit(object[name]!, field, path, errors);
    path.pop();
  }
}

function visitItems(items: JsonValue[], node: SchemaNode, path: PathStack, errors: FieldError[]): void {
  if (node.schema.listType === 'set') checkUnique(items, textOf, shownValue, path, errors);
  else if (node.schema.listType === 'map') checkMap(items, node.schema.listMapKeys ?? [], path, errors);
  if (node.items === undefined) return;
  for (let index = 0; index < items.length; index++) {
    path.push(index);
    visit(items[index]!, node.items, path, errors);
    path.pop();
  }
}

function checkMap(items: JsonValue[], keys: readonly string[], path: PathStack, errors: FieldError[]): void {
  const wrong = items.findIndex((item) => item !== null && !isJsonObject(item));
  if (wrong >= 0) {
    const detail = 'must be an object for an array of list-type map';
    errors.push(invalid(`${path}[${wrong}]`, items[wrong], detail));
    return;
  }
  const shown = (item: JsonValue) => shownValue(listMapKey(item, keys));
  checkUnique(items, (item) => listMapKeyText(item, keys), shown, path, errors);
}

/** Reports the second of equal items, however many there are. */
function checkUnique(
  items: JsonValue[],
  identity: (item: JsonValue) => string,
  shown: (item: JsonValue) => string,
  path: PathStack,
  errors: FieldError[],
): void {
  if (items.length <= 1) return;
  const times = new Map<string, number>();
  for (let index = 0; index < items.length; index++) {
    const key = identity(items[index]!);
    const count = (times.get(key) ?? 0) + 1;
    times.set(key, count);
    if (count !== 2) continue;
    const body = `Duplicate value: ${shown(items[index]!)}`;
    errors.push({ reason: 'FieldValueDuplicate', field: `${path}[${index}]`, body });
  }
}
