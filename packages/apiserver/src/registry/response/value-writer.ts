import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { encodeJson, indentJson, indentJsonPieces, stringifyJson } from '@pintle/machinery/json';
import type { Negotiated } from '../../http/content-negotiation.ts';

/** Encoded bytes. An empty piece is a pause where other requests may go first. */
export type Pieces = Generator<Uint8Array, void, undefined>;

/** Encodes values in one form. */
export interface ValueWriter {
  value(value: JsonObject): Pieces;
  list(frame: ListFrame): ListWriter;
}

/** A list without its items. */
export interface ListFrame {
  readonly head: JsonObject;
  readonly field: 'items' | 'rows';
  readonly isNullWhenEmpty: boolean;
}

/** Encodes a list item by item: `opening`, the items, `closing`. */
export interface ListWriter {
  /** The whole list when it has no items. */
  readonly empty: Uint8Array;
  /** True when `around` needs the number of bytes of all items. */
  readonly isSized: boolean;
  around(itemBytes: number): { readonly opening: Uint8Array; readonly closing: Uint8Array };
  /** Encodes an item and the separator before it. */
  item(item: JsonObject, isFirst: boolean): Pieces;
}

export async function writerOf(form: Negotiated): Promise<ValueWriter> {
  switch (form.encoding) {
    case 'json':
      return form.pretty ? prettyJson : compactJson;
    case 'yaml':
      return yamlWriter(await import('@pintle/machinery/yaml'));
    case 'protobuf': {
      const [objects, envelopes] = await Promise.all([
        import('../../http/protobuf.ts'),
        import('@pintle/machinery/protobuf'),
      ]);
      return protobufWriter(objects, envelopes);
    }
  }
}

const NOTHING = new Uint8Array(0);
const LINE_FEED = Buffer.from('\n');
const COMMA = Buffer.from(',');

function withoutItems({ head, field, isNullWhenEmpty }: ListFrame): JsonObject {
  return { ...head, [field]: isNullWhenEmpty ? null : [] };
}

/** Compact JSON ends with a line feed, for terminals. */
const compactJson: ValueWriter = {
  *value(value) {
    yield Buffer.concat([encodeJson(value), LINE_FEED]);
  },
  list(frame) {
    const opening = encodeJson({ ...frame.head, [frame.field]: [] }).subarray(0, -']}'.length);
    const around = { opening, closing: Buffer.from(']}\n') };
    return {
      empty: Buffer.concat([encodeJson(withoutItems(frame)), LINE_FEED]),
      isSized: false,
      around: () => around,
      *item(item, isFirst) {
        if (!isFirst) yield COMMA;
        yield encodeJson(item);
      },
    };
  },
};

const ITEM_MARGIN = '    ';
const ITEM = Buffer.from(`\n${ITEM_MARGIN}`);
const NEXT_ITEM = Buffer.from(`,\n${ITEM_MARGIN}`);

/** Indents by two spaces per level. */
const prettyJson: ValueWriter = {
  value: (value) => indented(value, ''),
  list(frame) {
    const empty = indentJson(stringifyJson({ ...frame.head, [frame.field]: [] }));
    const around = { opening: Buffer.from(empty.slice(0, -']\n}'.length)), closing: Buffer.from('\n  ]\n}') };
    return {
      empty: Buffer.from(indentJson(stringifyJson(withoutItems(frame)))),
      isSized: false,
      around: () => around,
      *item(item, isFirst) {
        yield isFirst ? ITEM : NEXT_ITEM;
        yield* indented(item, ITEM_MARGIN);
      },
    };
  },
};

function* indented(value: JsonValue, margin: string): Pieces {
  for (const piece of indentJsonPieces(stringifyJson(value), margin)) yield Buffer.from(piece);
}

type Yaml = typeof import('@pintle/machinery/yaml');

/** Keys are sorted, so that some fields of the list come after the items. */
function yamlWriter({ stringifyYaml, stringifyYamlPieces }: Yaml): ValueWriter {
  return {
    value: (value) => gathered(stringifyYamlPieces(value)),
    list(frame) {
      const text = stringifyYaml({ ...frame.head, [frame.field]: [] });
      const [before, behind] = text.split(`\n${frame.field}: []\n`, 2);
      if (before === undefined || behind === undefined) throw new Error(`Cannot write a list: no ${frame.field} in it`);
      const around = { opening: Buffer.from(`${before}\n${frame.field}:\n`), closing: Buffer.from(behind) };
      return {
        empty: Buffer.from(stringifyYaml(withoutItems(frame))),
        isSized: false,
        around: () => around,
        // A list is not indented under its key.
        item: (item) => gathered(stringifyYamlPieces([item])),
      };
    },
  };
}

const PIECE_LENGTH = 64 * 1024;

/** Joins short texts, with a pause after each piece. */
function* gathered(texts: Iterable<string>): Pieces {
  let text = '';
  for (const next of texts) {
    text += next;
    if (text.length < PIECE_LENGTH) yield NOTHING;
    else {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(text);
}

type Objects = typeof import('../../http/protobuf.ts');
type Envelopes = typeof import('@pintle/machinery/protobuf');

function protobufWriter({ encodeProtobufObject, messageWriter }: Objects, { envelopeAround }: Envelopes): ValueWriter {
  return {
    *value(value) {
      yield encodeProtobufObject(value);
    },
    list(frame) {
      const { field } = frame;
      const type = frame.head as { apiVersion: string; kind: string };
      const write = messageWriter(type);
      // Some fields are encoded even when empty. Items come after all other fields.
      const emptyBytes = write({ [field]: [] }).length;
      return {
        empty: encodeProtobufObject(withoutItems(frame)),
        isSized: true,
        around: (itemBytes) => {
          const head = write({ ...frame.head, [field]: [] });
          const { opening, closing } = envelopeAround(type, head.length + itemBytes);
          return { opening: Buffer.concat([opening, head]), closing };
        },
        *item(item) {
          yield write({ [field]: [item] }).subarray(emptyBytes);
        },
      };
    },
  };
}
