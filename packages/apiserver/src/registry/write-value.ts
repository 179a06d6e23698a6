import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { encodeJson, indentJson, indentJsonInSteps, stringifyJson } from '@pintle/machinery/json';
import type { Steps } from '@pintle/machinery/rules';
import type { Negotiated } from '../http/content-negotiation.ts';

/** A value of the API in the form that was settled. Writing a list pauses after each item: any of them may be large. */
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
  for (const item of items) {
    parts.push(write({ [field]: [item] }).subarray(emptyBytes));
    yield;
  }
  return Buffer.concat(parts);
}

interface LongList {
  readonly field: string;
  readonly items: readonly JsonValue[];
}

/** The items of a list, or the rows of a table, where they come last and there are several. */
function longList(value: JsonObject): LongList | undefined {
  const field = Object.keys(value).at(-1) ?? '';
  const items = field === 'items' || field === 'rows' ? value[field] : undefined;
  return Array.isArray(items) && items.length > 1 ? { field, items } : undefined;
}

/** For people: two spaces for each level. */
function* prettyJson(value: JsonObject): Steps<Uint8Array> {
  const list = longList(value);
  if (list === undefined) return Buffer.concat(yield* indented(value, ''));
  const empty = indentJson(stringifyJson({ ...value, [list.field]: [] }));
  const parts: Uint8Array[] = [Buffer.from(empty.slice(0, -CLOSING.length))];
  for (const [at, item] of list.items.entries()) {
    parts.push(at === 0 ? ITEM : NEXT_ITEM, ...(yield* indented(item, ITEM_MARGIN)));
    yield;
  }
  return Buffer.concat([...parts, Buffer.from('\n  ]\n}')]);
}

const CLOSING = ']\n}';
const ITEM_MARGIN = '    ';
const ITEM = Buffer.from(`\n${ITEM_MARGIN}`);
const NEXT_ITEM = Buffer.from(`,\n${ITEM_MARGIN}`);

function* indented(value: JsonValue, margin: string): Steps<Uint8Array[]> {
  const encoded: Uint8Array[] = [];
  for (const piece of yield* indentJsonInSteps(stringifyJson(value), margin)) {
    encoded.push(Buffer.from(piece));
    yield;
  }
  return encoded;
}

const LINE_FEED = Buffer.from('\n');

/** Compact JSON goes out with a line end, for people who see it on a terminal. */
function* compactJson(value: JsonObject): Steps<Uint8Array> {
  const list = longList(value);
  if (list === undefined) return Buffer.concat([encodeJson(value), LINE_FEED]);
  const parts: Uint8Array[] = [encodeJson({ ...value, [list.field]: [] }).subarray(0, -2)];
  for (const [at, item] of list.items.entries()) {
    if (at > 0) parts.push(COMMA);
    parts.push(encodeJson(item));
    yield;
  }
  return Buffer.concat([...parts, Buffer.from(']}\n')]);
}

const COMMA = Buffer.from(',');
