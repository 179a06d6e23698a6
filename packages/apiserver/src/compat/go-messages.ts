import { quote } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';

/*
 * Texts of Go's libraries in Kubernetes' responses. Clients and their tests compare them.
 */

/** Returns Kubernetes' text for a field that a kind does not have. */
export function unknownField(path: string): string {
  return `unknown field ${quote(path)}`;
}

/** Returns Kubernetes' text for a field that occurs twice in a document. */
export function duplicateField(path: string): string {
  return `duplicate field ${quote(path)}`;
}

/** Go's type for objects of unknown kinds. */
export const GO_MAP = 'map[string]interface {}';

/** Returns the beginning of Go's text for a value of the wrong type. */
export function unmarshal(value: JsonValue): string {
  const type = typeof value;
  const shape = Array.isArray(value) ? 'array' : type === 'boolean' ? 'bool' : type === 'bigint' ? 'number' : type;
  return `json: cannot unmarshal ${shape} into`;
}

/** Prefix of errors where Kubernetes reads the apiVersion and kind of a document. */
export const NO_TYPE = "couldn't get version/kind; json parse error: ";
const TYPE_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Returns why apiVersion and kind of a document cannot be read; `undefined` when they can or are absent. */
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

/** Field names in lower case: Kubernetes ignores case here. */
const TYPE_FIELDS: ReadonlyMap<string, string> = new Map([
  ['apiversion', 'apiVersion'],
  ['kind', 'kind'],
]);

/** Returns Go's error for a text that is not a 64-bit number; `undefined` when it is one. */
export function numberProblem(text: string, as: 'ParseInt' | 'ParseUint'): string | undefined {
  const reason = numberError(text, as === 'ParseUint');
  return reason && `strconv.${as}: parsing ${quote(text)}: ${reason}`;
}

/** Digits of the largest 64-bit number. Longer texts are not parsed: millions of digits take long. */
const MAX_DIGITS = 20;

function numberError(text: string, isUnsigned: boolean): string | undefined {
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
 * Returns Kubernetes' error for a patched document that is not an object of its kind. Values are converted one by one, and
 * their fields are not known. `type` is `apps/v1, Kind=Deployment`.
 */
export function conversionProblem(type: string, error: unknown): string {
  const problem = withoutField(error instanceof Error ? error.message : String(error));
  return `unable to convert unstructured object to ${type}: ${problem}`;
}

/** Returns the same error for a value that is read alone, without the name of its field. */
export function withoutField(message: string): string {
  if (message.startsWith('illegal base64')) return `error decoding from json: ${message}`;
  return message.replace(/ into Go struct field \S+ of type /, ' into Go value of type ');
}

/** Returns Kubernetes' text for a type: `apps/v1, Kind=Deployment`. The core group is empty, but its slash stays. */
export function typeText(apiVersion: JsonValue | undefined, kind: JsonValue | undefined): string {
  const version = textOf(apiVersion);
  return `${version.includes('/') ? version : `/${version}`}, Kind=${textOf(kind)}`;
}

/** Returns a string as it is, and an empty string for other values. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
