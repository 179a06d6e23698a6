import { isJsonObject, type JsonValue } from '../../json/index.ts';
import { ReadRun } from './read-run.ts';
import { type Reader, TypedReadError } from './reader.ts';

/**
 * Reads the types inside JSONSchemaProps that hold a schema or a simpler value. They have an `UnmarshalJSON` method: it
 * drops unknown fields silently, and a value that does not fit ends the reading.
 */
export function jsonSchemaPropsOr(bareType: string, goType: string, schema: Reader): Reader | undefined {
  switch (bareType) {
    case 'JSONSchemaPropsOrBool':
      return selfDecoding(goType, (value) => (typeof value === 'boolean' ? value : readAlone(value, schema)));
    case 'JSONSchemaPropsOrArray':
      return selfDecoding(goType, (value) =>
        Array.isArray(value) ? readList(value, schema) : isJsonObject(value) ? readAlone(value, schema) : null,
      );
    case 'JSONSchemaPropsOrStringArray':
      return selfDecoding(goType, (value) => (Array.isArray(value) ? value : readAlone(value, schema)));
    default:
      return undefined;
  }
}

function selfDecoding(goType: string, read: (value: JsonValue) => JsonValue): Reader {
  return { goType, plainKind: 'none', isPlain: () => false, read, zero: () => null, isZero: (value) => value === null };
}

/** A list without schemas counts as absent. */
function readList(list: readonly JsonValue[], schema: Reader): JsonValue {
  return list.length === 0 ? null : list.map((item) => readAlone(item, schema));
}

function readAlone(value: JsonValue, schema: Reader): JsonValue {
  if (!isJsonObject(value)) throw new TypedReadError('boolean or JSON schema expected');
  const run = new ReadRun();
  const read = schema.read(value, run);
  run.finish();
  return read;
}
