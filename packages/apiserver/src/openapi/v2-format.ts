import type { JsonObject } from '@pintle/machinery/json';
import { joinFields } from './message-writer.ts';
import type { MessageName } from './v2-protobuf.ts';
import { v2Writer } from './v2-protobuf.ts';
import { BEARER_TOKEN, INFO } from './v3-document.ts';

export type V2Format = 'json' | 'protobuf';

/** Encoded parts of a document. */
interface V2Parts {
  readonly paths: readonly Uint8Array[];
  readonly definitions: readonly Uint8Array[];
  readonly parameters: readonly Uint8Array[];
}

/** Encodes the parts of a document and joins them. */
interface Form {
  /** Encodes one entry of a map. */
  entry(type: MessageName, name: string, value: JsonObject): Uint8Array;
  /** Joins the entries of the paths. */
  join(entries: readonly Uint8Array[]): Uint8Array;
  document(parts: V2Parts): Uint8Array;
}

const SECURITY = { BearerToken: [] } as const;

const json: Form = {
  entry: (_type, name, value) => Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`),
  join: (entries) => joinByComma(entries),
  document: ({ paths, definitions, parameters }) =>
    Buffer.concat([
      Buffer.from(`{"swagger":"2.0","info":${JSON.stringify(INFO)},"paths":{`),
      joinByComma(paths),
      Buffer.from('},"definitions":{'),
      joinByComma(definitions),
      Buffer.from('},"parameters":{'),
      joinByComma(parameters),
      Buffer.from(
        `},"securityDefinitions":${JSON.stringify({ BearerToken: BEARER_TOKEN })},"security":${JSON.stringify([SECURITY])}}`,
      ),
    ]),
};

const COMMA = Buffer.from(',');

function joinByComma(entries: readonly Uint8Array[]): Uint8Array {
  const present = entries.filter(({ length }) => length > 0);
  return Buffer.concat(present.flatMap((entry, index) => (index === 0 ? [entry] : [COMMA, entry])));
}

/** Fields of openapi.v2.Document and of the messages right below it. */
const protobuf: Form = {
  entry: (type, name, value) => v2Writer.encodeNamed(type, name, value),
  join: (entries) => repeated(2, entries),
  document: ({ paths, definitions, parameters }) =>
    joinFields([
      [1, Buffer.from('2.0')],
      [2, v2Writer.encode('Info', { ...INFO })],
      [8, Buffer.concat(paths)],
      [9, repeated(1, definitions)],
      [10, repeated(1, parameters)],
      [12, repeated(1, [noScopes('BearerToken')])],
      [13, repeated(1, [v2Writer.encodeNamed('SecurityDefinitionsItem', 'BearerToken', { ...BEARER_TOKEN })])],
    ]),
};

function repeated(field: number, entries: readonly Uint8Array[]): Uint8Array {
  return joinFields(entries.map((entry) => [field, entry]));
}

function noScopes(name: string): Uint8Array {
  return joinFields([
    [1, Buffer.from(name)],
    [2, new Uint8Array()],
  ]);
}

export const FORMATS: Readonly<Record<V2Format, Form>> = { json, protobuf };
