import { quote } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';

/*
 * Texts that Go's libraries make, and that Kubernetes puts into its responses. Clients and their tests compare them.
 */

/** How Kubernetes names a field that a kind does not have. */
export function unknownField(path: string): string {
  return `unknown field ${quote(path)}`;
}

/** How Kubernetes names a field that stands twice in a document. */
export function duplicateField(path: string): string {
  return `duplicate field ${quote(path)}`;
}

/** The type that Go reads objects into whose kind it does not know. */
export const GO_MAP = 'map[string]interface {}';

/** How Go begins to say that a value is of the wrong type. */
export function unmarshal(value: JsonValue): string {
  const type = typeof value;
  const shape = Array.isArray(value) ? 'array' : type === 'boolean' ? 'bool' : type === 'bigint' ? 'number' : type;
  return `json: cannot unmarshal ${shape} into`;
}

/** Stands before what is wrong with a document where Kubernetes reads what it is, before anything else. */
export const NO_TYPE = "couldn't get version/kind; json parse error: ";
const TYPE_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Why a document does not say what it is; `undefined` when it may, though perhaps nothing. */
export function typeProblem(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return `${NO_TYPE}${unmarshal(value)} Go value of type ${TYPE_STRUCT}`;
  for (const name of Object.keys(value)) {
    const field = TYPE_FIELDS.get(name.toLowerCase());
    const claimed = field && (value[name] ?? '');
    if (claimed !== undefined && typeof claimed !== 'string') {
      return `${NO_TYPE}${unmarshal(claimed)} Go struct field .${field} of type string`;
    }
  }
  return undefined;
}

/** Kubernetes does not mind there how their names are written. */
const TYPE_FIELDS: ReadonlyMap<string, string> = new Map([
  ['apiversion', 'apiVersion'],
  ['kind', 'kind'],
]);

/** Why Go reads no number of 64 bits from a text; `undefined` when it does. */
export function numberProblem(text: string, as: 'ParseInt' | 'ParseUint'): string | undefined {
  const why = whyNoNumber(text, as === 'ParseUint');
  return why && `strconv.${as}: parsing ${quote(text)}: ${why}`;
}

/** Of the largest number of 64 bits. Longer texts are not read: that takes long where there are millions of digits. */
const MAX_DIGITS = 20;

function whyNoNumber(text: string, isUnsigned: boolean): string | undefined {
  if (!(isUnsigned ? /^\d+$/ : /^[+-]?\d+$/).test(text)) return 'invalid syntax';
  let start = text.startsWith('+') || text.startsWith('-') ? 1 : 0;
  while (text[start] === '0') start++;
  if (text.length - start > MAX_DIGITS) return 'value out of range';
  const size = BigInt(text.slice(start));
  const value = text.startsWith('-') ? -size : size;
  const fits = (isUnsigned ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value)) === value;
  return fits ? undefined : 'value out of range';
}

/**
 * Why a document is no object of a kind, where it was made of parts that were checked before: values are converted one by
 * one, and the fields they stand in are not known. `type` is `apps/v1, Kind=Deployment`.
 */
export function conversionProblem(type: string, error: unknown): string {
  const problem = withoutField(error instanceof Error ? error.message : String(error));
  return `unable to convert unstructured object to ${type}: ${problem}`;
}

/** The same problem, where a value is read alone and the field it is for is not known. */
export function withoutField(message: string): string {
  if (message.startsWith('illegal base64')) return `error decoding from json: ${message}`;
  return message.replace(/ into Go struct field \S+ of type /, ' into Go value of type ');
}

/** How Kubernetes names what an object is: `apps/v1, Kind=Deployment`. The core group is empty and its slash stays. */
export function typeText(apiVersion: JsonValue | undefined, kind: JsonValue | undefined): string {
  const version = textOf(apiVersion);
  return `${version.includes('/') ? version : `/${version}`}, Kind=${textOf(kind)}`;
}

/** A text, or none for anything else. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
