import { compareUtf8, isJsonObject, type JsonValue } from '../../json/index.ts';
import { type ElementId, elementOf, fieldNameOf, isFieldId, type PathElement } from './path-element.ts';

/**
 * Sorts ids in the canonical order of Kubernetes: fields by name, then items by key, by value, by index. Numbers come
 * before strings, strings before booleans.
 */
export function inOrder(ids: Iterable<ElementId>): ElementId[] {
  const fields: ElementId[] = [];
  const items: ElementId[] = [];
  for (const id of ids) (isFieldId(id) ? fields : items).push(id);
  sortFields(fields);
  return items.length === 0 ? fields : fields.concat(sortItems(items));
}

/** Nearly all names sort natively; UTF-16 and UTF-8 differ only beyond the basic plane. */
function sortFields(fields: ElementId[]): void {
  if (fields.length < 2) return;
  if (fields.some((id) => odd.test(id))) fields.sort((a, b) => compareUtf8(fieldNameOf(a), fieldNameOf(b)));
  else fields.sort();
}

/** Ids that are not only names, or that sort differently. */
const odd = /^\0|[\ud800-\udfff]/;

type CompareTexts = (left: string, right: string) => number;

const compareNatively: CompareTexts = (left, right) => (left < right ? -1 : left > right ? 1 : 0);

const surrogate = /[\ud800-\udfff]/;

function sortItems(items: readonly ElementId[]): ElementId[] {
  if (items.length === 1) return [...items];
  if (items.every((id) => plainItem.test(id))) return [...items].sort();
  const sortable = items.map((id) => ({ id, ...sortKeyOf(elementOf(id)) }));
  const texts = items.some((id) => surrogate.test(id)) ? compareUtf8 : compareNatively;
  sortable.sort((left, right) => left.rank - right.rank || compareAll(left.parts, right.parts, texts));
  return sortable.map(({ id }) => id);
}

/** Items whose texts sort like their values. */
const plainItem = /^\0(?:k:\{"name":"[\w./-]*"\}|v:"[\w./-]*")$/;

/** The sort key of an item: its kind, then these values one by one. */
interface SortKey {
  readonly rank: number;
  readonly parts: readonly JsonValue[];
}

function sortKeyOf(element: PathElement): SortKey {
  if ('key' in element) return { rank: 0, parts: partsOfObject(element.key) };
  if ('value' in element) return { rank: 1, parts: [element.value] };
  return { rank: 2, parts: 'index' in element ? [element.index] : [] };
}

/** Returns the sorted names, each followed by its value. */
function partsOfObject(object: Readonly<Record<string, JsonValue>>): JsonValue[] {
  const names = Object.keys(object);
  if (names.length > 1) names.sort(compareUtf8);
  const parts: JsonValue[] = [];
  for (const name of names) parts.push(name, object[name]!);
  return parts;
}

/** Compares part by part; a prefix comes first. */
function compareAll(left: readonly JsonValue[], right: readonly JsonValue[], texts: CompareTexts): number {
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareValues(left[i]!, right[i]!, texts);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareValues(left: JsonValue, right: JsonValue, texts: CompareTexts): number {
  const rank = rankOfValue(left);
  if (rank !== rankOfValue(right)) return rank - rankOfValue(right);
  if (typeof left === 'string' && typeof right === 'string') return texts(left, right);
  if (Array.isArray(left) && Array.isArray(right)) return compareAll(left, right, texts);
  if (isJsonObject(left) && isJsonObject(right)) return compareAll(partsOfObject(left), partsOfObject(right), texts);
  return left! < right! ? -1 : left! > right! ? 1 : 0;
}

function rankOfValue(value: JsonValue): number {
  if (typeof value === 'number' || typeof value === 'bigint') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (Array.isArray(value)) return 3;
  return value === null ? 5 : 4;
}
