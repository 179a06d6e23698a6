import { type Document, isCollection, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { StatusCause } from '../api/http.ts';
import type { Json } from '../api/objects.ts';

export type FieldPath = readonly (string | number)[];

/** A refusal of the server, and the field that it is about. */
export interface Problem {
  readonly path: FieldPath;
  /** The field as the server names it. */
  readonly field: string;
  readonly message: string;
}

/** Parses YAML so that nothing is lost: comments, order and integers of any size. */
export function parseYaml(text: string): Document {
  return parseDocument(text, { intAsBigInt: true, version: '1.2' });
}

/** Returns the value of a document. Aliases are refused: a few can name millions of values. */
export function readValueOf(document: Document): Json {
  return document.toJS({ maxAliasCount: 0 }) as Json;
}

/** Changes one field of a text, or removes it, and leaves everything else as it was written. */
export function withField(text: string, path: FieldPath, value: Json | undefined): string {
  const document = parseYaml(text);
  if (document.errors.length > 0) return text;
  if (value === undefined) document.deleteIn(path);
  else {
    openParents(document, path);
    document.setIn(path, document.createNode(value));
  }
  return document.toString({ lineWidth: 0 });
}

/** Makes collections of the empty values above a field, and writes them as blocks. */
function openParents(document: Document, path: FieldPath): void {
  for (let length = 0; length < path.length; length++) {
    const above = path.slice(0, length);
    const node = length === 0 ? document.contents : document.getIn(above, true);
    const next = path[length];
    if (isCollection(node)) {
      if (node.items.length === 0) node.flow = false;
    } else if (node === undefined || node === null || (isScalar(node) && node.value === null)) {
      const empty = document.createNode(typeof next === 'number' ? [] : {});
      if (length === 0) document.contents = empty as never;
      else document.setIn(above, empty);
    }
  }
}

/** Reads the path of a cause: `spec.ports[0].name`, `metadata.labels[app]`, `data["a.b"]`. */
export function pathOfField(field: string): (string | number)[] {
  return [...field.matchAll(/\["([^"]{0,300})"\]|\[([^\]]{0,300})\]|([^.[\]]+)/g)].map(([, quoted, index, name]) => {
    if (quoted !== undefined) return quoted;
    if (index !== undefined) return /^\d+$/.test(index) ? Number(index) : index;
    return name ?? '';
  });
}

export function problemsOf(causes: readonly StatusCause[]): Problem[] {
  return causes.map(({ field = '', message = '' }) => ({ path: pathOfField(field), field, message }));
}

/** Returns where a field stands in a text, or the nearest one around it. */
export function rangeOf(path: FieldPath, document: Document, source: string): readonly [number, number] {
  let node: unknown = document.contents;
  let range: readonly [number, number] = [0, Math.max(0, source.indexOf('\n'))];
  for (const part of path) {
    const pair = isMap(node) ? node.items.find((item) => isScalar(item.key) && item.key.value === part) : undefined;
    if (pair !== undefined) {
      const key = pair.key as { range?: [number, number, number] };
      if (key.range) range = [key.range[0], key.range[1]];
      node = pair.value;
    } else if (isSeq(node) && typeof part === 'number') node = node.items[part];
    else break;
    const own = (node as { range?: [number, number, number] } | null)?.range;
    if (own && isScalar(node)) range = [own[0], own[1]];
  }
  return range;
}
