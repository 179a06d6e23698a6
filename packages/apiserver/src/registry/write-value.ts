import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { encodeJson } from '@pintle/machinery/json';
import type { Steps } from '@pintle/machinery/rules';
import type { Negotiated } from '../http/content-negotiation.ts';

/** How many items of a list are written before others may go first. */
export const ITEMS_PER_STEP = 50;

/** A value of the API in the form that was settled. Writing a long list pauses now and then. */
export async function writerOf(form: Negotiated): Promise<(value: JsonObject) => Steps<Uint8Array>> {
  switch (form.encoding) {
    case 'json':
      return form.pretty ? prettyJson : compactJson;
    case 'yaml': {
      const { stringifyYamlInSteps } = await import('@pintle/machinery/yaml');
      return function* (value) {
        return Buffer.from(yield* stringifyYamlInSteps(value));
      };
    }
    case 'protobuf': {
      const [{ encodeProtobufObject, messageWriter }, { encodeEnvelope }] = await Promise.all([
        import('../storage/protobuf.ts'),
        import('@pintle/machinery/protobuf'),
      ]);
      return function* (value) {
        const list = longList(value);
        if (list === undefined) return encodeProtobufObject(value);
        const type = value as { apiVersion: string; kind: string };
        return encodeEnvelope({ ...type, raw: yield* messageOfList(value, list, messageWriter(type)) });
      };
    }
  }
}

/** Items stand behind everything else, so that the bytes of lists can be joined. Some fields are there even if they are empty. */
function* messageOfList(
  value: JsonObject,
  { field, items }: LongList,
  write: (value: JsonObject) => Uint8Array,
): Steps<Uint8Array> {
  const emptyBytes = write({ [field]: [] }).length;
  const parts = [write({ ...value, [field]: [] })];
  for (let at = 0; at < items.length; at += ITEMS_PER_STEP) {
    parts.push(write({ [field]: items.slice(at, at + ITEMS_PER_STEP) }).subarray(emptyBytes));
    yield;
  }
  return Buffer.concat(parts);
}

interface LongList {
  readonly field: string;
  readonly items: readonly JsonValue[];
}

/** The items of a list, or the rows of a table, where they come last and there are many. */
function longList(value: JsonObject): LongList | undefined {
  const field = Object.keys(value).at(-1) ?? '';
  const items = field === 'items' || field === 'rows' ? value[field] : undefined;
  return Array.isArray(items) && items.length > ITEMS_PER_STEP ? { field, items } : undefined;
}

/** For people: two spaces for each level. */
function* prettyJson(value: JsonObject): Steps<Uint8Array> {
  const list = longList(value);
  if (list === undefined) return Buffer.from(indented(value));
  const empty = indented({ ...value, [list.field]: [] });
  const parts = [Buffer.from(empty.slice(0, -CLOSING.length))];
  for (let at = 0; at < list.items.length; at += ITEMS_PER_STEP) {
    const items = indented(list.items.slice(at, at + ITEMS_PER_STEP)).slice(1, -2);
    parts.push(Buffer.from(`${at === 0 ? '' : ','}${items.replaceAll('\n', '\n  ')}`));
    yield;
  }
  return Buffer.concat([...parts, Buffer.from('\n  ]\n}')]);
}

const CLOSING = ']\n}';

function indented(value: JsonValue | readonly JsonValue[]): string {
  return JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? Number(item) : item), 2);
}

const LINE_FEED = Buffer.from('\n');

/** Compact JSON goes out with a line end, for people who see it on a terminal. */
function* compactJson(value: JsonObject): Steps<Uint8Array> {
  const list = longList(value);
  if (list === undefined) return Buffer.concat([encodeJson(value), LINE_FEED]);
  const parts: Uint8Array[] = [encodeJson({ ...value, [list.field]: [] }).subarray(0, -2)];
  for (let at = 0; at < list.items.length; at += ITEMS_PER_STEP) {
    if (at > 0) parts.push(COMMA);
    parts.push(encodeJson(list.items.slice(at, at + ITEMS_PER_STEP)).subarray(1, -1));
    yield;
  }
  return Buffer.concat([...parts, Buffer.from(']}\n')]);
}

const COMMA = Buffer.from(',');
