import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { canonicalJson, compareUtf8, escapeForHtml, getOwn, isJsonObject } from '@pintle/machinery/json';
import type { JsonPatch } from '@pintle/machinery/patch';
import type { ServedResource } from '../../resource/served-resource.ts';
import type { YieldPolicy } from '../../resource/yield-policy.ts';

/** Tree of the objects and lists that a patch entered, by key or index. */
export interface Opened extends ReadonlyMap<string, Opened> {}

/** Returns the parts that operations enter: all above their paths; for a test, also the value at its path. */
export function openedByOperations(operations: JsonPatch): Opened {
  const root: OpenedNow = new Map();
  for (const { op, path, from } of operations) {
    open(root, op === 'test' ? path : path?.slice(0, -1));
    open(root, from?.slice(0, -1));
  }
  return root;
}

/** Returns the parts that a merge patch enters: every object that it merges into or adds. */
export function openedByMerge(patch: JsonValue): Opened {
  const children = typeof patch === 'object' && patch !== null ? Object.entries(patch) : [];
  return new Map(
    children
      .filter(([, value]) => typeof value === 'object' && value !== null)
      .map(([name, value]) => [name, openedByMerge(value)]),
  );
}

interface OpenedNow extends Map<string, OpenedNow> {}

function open(root: OpenedNow, path: readonly string[] | undefined): void {
  let here = root;
  for (const name of path ?? []) {
    const next: OpenedNow = here.get(name) ?? new Map();
    here.set(name, next);
    here = next;
  }
}

interface QuoteOptions {
  readonly opened: Opened;
  /** Numbers that the patch writes in another form than the shortest, by their paths in the document. */
  readonly literals?: ReadonlyMap<string, string> | undefined;
}

const NONE: ReadonlyMap<string, string> = new Map();

/**
 * Returns a patched document as errors show it: values that the patch entered are sorted by key, and so is all of a
 * custom resource; the others are in the order of their type. Yields to other requests between passes over large
 * documents.
 */
export async function quoteDocument(
  { isCustom }: Pick<ServedResource, 'isCustom'>,
  document: JsonValue,
  current: JsonValue,
  { opened, literals = NONE }: QuoteOptions,
  yielding: Pick<YieldPolicy, 'inOwnTurn'>,
): Promise<string> {
  if (isCustom || !isJsonObject(current)) {
    return await yielding.inOwnTurn(() => escapeForHtml(canonicalJson(document)));
  }
  const { inOrderOfType } = await import('../../http/protobuf.ts');
  const model = await yielding.inOwnTurn(() => inOrderOfType(current, () => yielding.inOwnTurn(() => {})));
  const text = await yielding.inOwnTurn(() => print(document, model, opened, literals));
  return await yielding.inOwnTurn(() => escapeForHtml(text));
}

/** `model` has the same fields in the order of their type, as far as they existed before. */
function print(
  value: JsonValue,
  model: JsonValue | undefined,
  opened: Opened | undefined,
  literals: ReadonlyMap<string, string>,
  path = '',
): string {
  if (Array.isArray(value)) {
    const models = Array.isArray(model) ? model : [];
    return `[${value.map((item, index) => print(item, models[index], opened?.get(String(index)), literals, `${path}[${index}]`)).join(',')}]`;
  }
  if (!isJsonObject(value)) return (typeof value === 'number' && literals.get(path)) || canonicalJson(value);
  const models = isJsonObject(model) ? model : {};
  const names = opened === undefined ? namesInOrder(value, models) : Object.keys(value).sort(compareUtf8);
  const members = names.map((name) => {
    const inner = path === '' ? name : `${path}.${name}`;
    const text = print(value[name]!, getOwn(models, name), opened?.get(name), literals, inner);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(',')}}`;
}

function namesInOrder(object: JsonObject, model: JsonObject): readonly string[] {
  const names = [...TYPE_NAMES.filter((name) => !Object.hasOwn(model, name)), ...Object.keys(model)];
  const known = new Set(names.filter((name) => Object.hasOwn(object, name)));
  return [...known, ...Object.keys(object).filter((name) => !known.has(name))];
}

/** Keys that come first, although the protobuf message of the type does not have them. */
const TYPE_NAMES = ['kind', 'apiVersion'];
