import type { PodTemplateSpec } from '@pintle/kinds/core/v1';
import { compareUtf8, isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { printQuantity } from './print-quantity.ts';
import { templateStructs } from './template-structs.ts';

/**
 * Prints a pod template as Kubernetes does to hash it: as Go structs, with every field in the order of its declaration
 * and with its type, set or not. Empty lists and maps print like absent ones.
 */
export function printTemplate(template: PodTemplateSpec): string {
  return printTyped('v1.PodTemplateSpec', JSON.parse(JSON.stringify(template)));
}

type Value = JsonValue | undefined;

const NOTHING = '<nil>';

function printTyped(type: string, value: Value): string {
  return `(${type})${print(type, value)}`;
}

function print(type: string, value: Value): string {
  if (type.startsWith('*')) return value === undefined || value === null ? NOTHING : print(type.slice(1), value);
  if (type.startsWith('[]')) return printList(type.slice(2), Array.isArray(value) ? value : []);
  switch (type) {
    case 'map[string]string':
      return printMap('string', asObject(value));
    case 'v1.ResourceList':
      return printMap('resource.Quantity', asObject(value));
    case 'resource.Quantity':
      return printQuantity(String(value));
    case 'intstr.IntOrString':
      return printIntOrString(value);
    case 'v1.Time':
      return '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';
    default:
      return fieldsOf(type)?.(asObject(value)) ?? printScalar(type, value);
  }
}

function printScalar(type: string, value: Value): string {
  return String(value ?? zeros[type] ?? '');
}

const zeros: Readonly<Record<string, JsonValue>> = table({ bool: false, int32: 0, int64: 0 });

function printList(type: string, items: readonly JsonValue[]): string {
  return items.length === 0 ? NOTHING : `[${items.map((item) => print(type, item)).join(' ')}]`;
}

function printMap(type: string, map: JsonObject): string {
  const keys = Object.keys(map).sort(compareUtf8);
  return keys.length === 0 ? NOTHING : `map[${keys.map((key) => `${key}:${print(type, map[key])}`).join(' ')}]`;
}

function printIntOrString(value: Value): string {
  const isText = typeof value === 'string';
  const [number, text] = isText ? [0, value] : [value ?? 0, ''];
  return `{Type:(intstr.Type)${isText ? 1 : 0} IntVal:(int32)${String(number)} StrVal:(string)${text}}`;
}

type PrintStruct = (value: JsonObject) => string;

const known = new Map<string, PrintStruct>();

/** Returns `undefined` when the type is not a struct. */
function fieldsOf(type: string): PrintStruct | undefined {
  const made = known.get(type);
  const fields = templateStructs[type.slice(type.indexOf('.') + 1)];
  if (made !== undefined || fields === undefined) return made;
  const printers = fields.split(' ').map(printerOf);
  const printStruct: PrintStruct = (value) => `{${printers.map((printField) => printField(value)).join(' ')}}`;
  known.set(type, printStruct);
  return printStruct;
}

function printerOf(field: string): PrintStruct {
  const [names = '', type = ''] = field.split(':');
  const [name = '', key = `${name[0]?.toLowerCase()}${name.slice(1)}`] = names.split('=');
  return (value) => `${name}:${printTyped(type, key === '' ? value : value[key])}`;
}

function asObject(value: Value): JsonObject {
  return isJsonObject(value) ? value : {};
}
