import { type JsonObject, type JsonValue, setOwn } from '@pintle/machinery/json';
import { metadataFields } from '@pintle/machinery/names';
import { table } from '@pintle/machinery/table';
import { goStructs } from './go-structs.ts';

/**
 * Converts a value to the form in which Kubernetes prints it in errors: that of its Go struct, with all fields, in the
 * order of their declaration. `type` is the name of the struct, such as `core.PodSpec`.
 */
export function goForm(value: object | undefined, type: string): JsonValue {
  return formOf(value as JsonValue | undefined, type);
}

function formOf(value: JsonValue | undefined, type: string): JsonValue {
  const inner = type.slice(1);
  switch (type[0]) {
    case '*':
      return value === undefined || value === null ? null : formOf(value, inner);
    case '[':
      return Array.isArray(value) ? value.map((item) => formOf(item, inner)) : null;
    case '{':
      return isObject(value) ? mapOf(value, inner) : null;
    default:
      return type.length > 1 ? structOf(isObject(value) ? value : {}, type) : scalarOf(value, type);
  }
}

function scalarOf(value: JsonValue | undefined, type: string): JsonValue {
  if (type === 'j' && isObject(value)) return inGoOrder(value);
  return value ?? zeros[type] ?? null;
}

const zeros: Readonly<Record<string, JsonValue>> = table({ s: '', i: 0, b: false, q: '0', n: 0 });

function mapOf(map: JsonObject, type: string): JsonObject {
  const form: JsonObject = {};
  for (const key of Object.keys(map).sort()) setOwn(form, key, formOf(map[key], type));
  return form;
}

interface Field {
  /** Absent for an embedded struct. */
  readonly name?: string;
  readonly key: string;
  readonly type: string;
}

function structOf(value: JsonObject, type: string): JsonObject {
  const given = type === 'core.PodSpec' ? withHostInContext(value) : value;
  const form: JsonObject = {};
  for (const { name, key, type: inner } of fieldsOf(type)) {
    if (name !== undefined) form[name] = formOf(given[key], inner);
    else Object.assign(form, inner === 'j' ? inGoOrder(metadataIn(given)) : structOf(given, inner));
  }
  return form;
}

const fields = new Map<string, readonly Field[]>();

function fieldsOf(type: string): readonly Field[] {
  const known = fields.get(type) ?? (goStructs[type] ?? '').split(' ').map(readField);
  fields.set(type, known);
  return known;
}

function readField(text: string): Field {
  if (text.startsWith('^')) return { key: '', type: text.slice(1) };
  const [names = '', type = ''] = text.split(':');
  const [name = '', key = name.charAt(0).toLowerCase() + name.slice(1)] = names.split('=');
  return { name, key, type };
}

/** Go has the host's fields in the security context, the API beside it. */
function withHostInContext({ securityContext, ...spec }: JsonObject): JsonObject {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const host = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  const given = Object.entries(host).filter(([, value]) => value !== undefined);
  return {
    ...spec,
    securityContext: { ...(securityContext as JsonObject), ...Object.fromEntries(given) } as JsonObject,
  };
}

function metadataIn({ metadata }: JsonObject): JsonObject {
  return isObject(metadata) ? metadata : {};
}

/** The fields of metadata and of label selectors, which are not declared in alphabetical order. */
const declared = [...metadataFields, 'matchLabels', 'matchExpressions'];

function inGoOrder(value: JsonObject): JsonObject {
  const form: JsonObject = {};
  for (const key of declared) {
    const member = value[key];
    if (member === undefined || isEmpty(member)) continue;
    if (isObject(member)) form[key] = mapOf(member, 'r');
    else form[key] = Array.isArray(member) && key in itemFields ? member.map((item) => inOrder(item, key)) : member;
  }
  return form;
}

/** These types print as in the API: empty fields are omitted. */
function isEmpty(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** The declared fields of the items of their lists. */
const itemFields: Readonly<Record<string, readonly string[]>> = table({
  matchExpressions: ['key', 'operator', 'values'],
  managedFields: ['manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'],
  ownerReferences: ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'],
});

function inOrder(item: JsonValue, list: string): JsonValue {
  if (!isObject(item)) return item;
  const form: JsonObject = {};
  for (const name of itemFields[list] ?? []) {
    const member = item[name];
    if (member !== undefined && (name === 'fieldsV1' || !isEmpty(member))) form[name] = member;
  }
  return form;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
