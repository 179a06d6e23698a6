import type { JsonValue } from '@pintle/machinery/json';
import { ProtoWriter } from './proto-writer.ts';

/** How values without fields of their own stand in gnostic's messages, whichever version of OpenAPI they are of. */
export type ScalarForm = 'string' | 'strings' | 'bool' | 'integer' | 'double' | 'anys';

/** A message; a list of them; or a map, written as a message that holds entries of name and value. */
export type MessagesForm<Name extends string> =
  | { readonly message: Name }
  | { readonly list: Name }
  | { readonly named: Name };

/** One entry of a map, as in `paths`. */
export function namedEntry(name: string, value: Uint8Array): Uint8Array {
  return new ProtoWriter().string(1, name).bytes(2, value).finish();
}

/** Anything is kept as YAML, of which JSON is a part. */
export function anyOf(yaml: string): Uint8Array {
  return new ProtoWriter().string(2, yaml).finish();
}

export function asList(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}
