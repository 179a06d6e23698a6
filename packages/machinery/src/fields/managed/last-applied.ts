import { canonicalJson, getPath, isJsonObject, JsonError, type JsonObject, parseJson } from '../../json/index.ts';
import { emptySet, type FieldSet } from '../set/field-set.ts';
import { compareTyped } from '../typed/compare-typed.ts';
import { fieldSetOf } from '../typed/field-set-of.ts';
import type { FieldConflict } from './conflicts.ts';
import type { WriteContext } from './context.ts';
import { metadataOf } from './objects.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** Only `kubectl apply --server-side` takes over the fields of an earlier `kubectl apply`. */
export function mayTakeOverLastApplied({ manager }: WriteContext): boolean {
  return manager === 'kubectl';
}

/**
 * Returns the conflicts that remain: a field is no conflict if the annotation of an earlier client-side apply has it,
 * with its current value. Returns all conflicts when there is no usable annotation.
 */
export function conflictsBeyondLastApplied(
  context: WriteContext,
  live: JsonObject,
  conflicts: readonly FieldConflict[],
): FieldConflict[] {
  const allowed = fieldsOfLastApplied(context, live);
  return conflicts
    .map((conflict) => ({ ...conflict, fields: conflict.fields.difference(allowed) }))
    .filter(({ fields }) => !fields.isEmpty);
}

function fieldsOfLastApplied({ apiVersion, schema }: WriteContext, live: JsonObject): FieldSet {
  const configuration = readLastApplied(live);
  if (configuration?.apiVersion !== apiVersion) return emptySet;
  const { added, modified, removed } = compareTyped(configuration, live, schema);
  return fieldSetOf(configuration, schema).difference(modified).difference(added).difference(removed);
}

function readLastApplied(live: JsonObject): JsonObject | undefined {
  const text = getPath(live, 'metadata', 'annotations', ANNOTATION);
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const configuration = parseJson(text);
    return isJsonObject(configuration) ? configuration : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** Updates the annotation of an object that has one, so that client-side apply can continue from here. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const note = getPath(object, 'metadata', 'annotations', ANNOTATION);
  if (typeof note !== 'string' || note === '') return object;
  const metadata = metadataOf(object);
  const annotations: JsonObject = { ...(metadata.annotations as JsonObject), [ANNOTATION]: writeLastApplied(applied) };
  if (bytesOf(annotations) > MAX_ANNOTATIONS_BYTES) delete annotations[ANNOTATION];
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Writes the configuration as Go does, without the annotation itself. */
function writeLastApplied(applied: JsonObject): string {
  const metadata = metadataOf(applied);
  const annotations = metadata.annotations;
  const noted = isJsonObject(annotations) && Object.hasOwn(annotations, ANNOTATION);
  const { [ANNOTATION]: _, ...others } = noted ? annotations : {};
  const configuration = noted ? { ...applied, metadata: { ...metadata, annotations: others } } : applied;
  const json = canonicalJson(configuration);
  return `${json.replace(/[<>&\u2028\u2029]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

function bytesOf(annotations: JsonObject): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations))
    bytes += Buffer.byteLength(name) + Buffer.byteLength(String(value));
  return bytes;
}
