import { table } from '../table/table.ts';

/**
 * Descriptions of messages by their full names, each as one line of text:
 *
 *     struct|1 name pe string|2 + pe VolumeSource
 *     time|1 seconds pe int64|2 nanos pe int32
 *
 * First the form of the message's JSON, then its fields in the order in which JSON lists them. A field is its number,
 * its name in JSON (`+` when its own fields are inlined), its presence, its type. The presence is
 *
 * - `p` plain, always written; `o` optional, written when set; `l` list; `m` map from strings; followed by
 * - `o` when JSON omits a zero or an unset value, `e` when JSON shows it.
 *
 * A type is a scalar (`json` for bytes that hold JSON), the full name of a message, or the name of one in the same package.
 */
export type ProtobufTable = Readonly<Record<string, string>>;

/** The form of a message in JSON: an object of its fields, or something shorter. */
export type Form =
  | 'struct'
  | 'list'
  | 'time'
  | 'microTime'
  | 'duration'
  | 'quantity'
  | 'intOrString'
  | 'json'
  | 'schemaOrArray'
  | 'schemaOrBool'
  | 'schemaOrStrings';

export type Scalar = 'string' | 'bool' | 'int32' | 'int64' | 'double' | 'bytes' | 'json';

export type Shape = 'plain' | 'optional' | 'list' | 'map';

export interface FieldText {
  readonly number: number;
  readonly name: string;
  readonly shape: Shape;
  readonly omits: boolean;
  readonly type: string;
}

interface MessageText {
  readonly form: Form;
  readonly fields: readonly FieldText[];
}

/** Parses the line of a message; `undefined` when the table does not have it. */
export function readMessageText(table: ProtobufTable, name: string): MessageText | undefined {
  const text = Object.hasOwn(table, name) ? table[name] : undefined;
  if (text === undefined) return undefined;
  const [form, ...fields] = text.split('|');
  return { form: form as Form, fields: fields.map(readFieldText) };
}

const shapes: Readonly<Record<string, Shape>> = table({ p: 'plain', o: 'optional', l: 'list', m: 'map' });

function readFieldText(text: string): FieldText {
  const [number, name, presence, type] = text.split(' ');
  if (!name || !presence || !type) throw new TypeError(`Cannot read the protobuf table: field "${text}"`);
  return { number: Number(number), name, shape: shapes[presence[0]!]!, omits: presence[1] === 'o', type };
}

const scalars: readonly string[] = ['string', 'bool', 'int32', 'int64', 'double', 'bytes', 'json'];

export function isScalar(type: string): type is Scalar {
  return scalars.includes(type);
}
