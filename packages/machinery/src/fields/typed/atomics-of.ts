import type { JsonValue } from '../../json/index.ts';
import type { Schema } from '../../schema/index.ts';
import { type TypeView, viewOf } from './type-view.ts';
import { listIn, mapIn } from './values.ts';

/** Returns the paths of lists, maps and structs that can only be replaced as a whole: `.spec.args`, `.spec.list[0].ports`. */
export function atomicsOf(value: JsonValue, schema: Schema | undefined): string[] {
  return [...walk(value, viewOf(schema), '')];
}

/** Does not descend into maps with free keys, as in Kubernetes. */
function* walk(value: JsonValue | undefined, { list, map }: TypeView, path: string): Generator<string> {
  const object = mapIn(value);
  if (object !== undefined && map !== undefined) {
    if (map.isAtomic) yield path;
    for (const [name, inside] of Object.entries(object)) {
      const field = map.fields.get(name);
      if (field !== undefined) yield* walk(inside, field, `${path}.${name}`);
    }
  }
  const items = listIn(value);
  if (items !== undefined && list !== undefined) {
    if (list.sharing === 'atomic') yield path;
    for (const [index, item] of items.entries()) yield* walk(item, list.item, `${path}[${index}]`);
  }
}
