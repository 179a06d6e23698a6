import type { Schema } from '../../schema/index.ts';
import { FieldSet, leaf } from '../set/field-set.ts';
import { type ElementId, fieldNameOf, isFieldId } from '../set/path-element.ts';
import { fieldView, type TypeView, viewOf } from './type-view.ts';

/**
 * Adapts a set that was written under an earlier schema to the current one: where a list or an object has become
 * atomic, owning a part of it becomes owning all of it. Returns the same set when no type has become atomic.
 */
export function reconcileFields(fields: FieldSet, schema: Schema | undefined): FieldSet {
  return reconcileBelow(fields, viewOf(schema));
}

function reconcile(node: FieldSet, type: TypeView): FieldSet {
  const { map, list } = type;
  const isAtomic = map === undefined ? list?.sharing === 'atomic' : map.isAtomic && !isDeduced(type);
  return isAtomic && (map !== undefined || type.scalar === undefined) ? leaf : reconcileBelow(node, type);
}

/** A type without a schema cannot have changed. */
function isDeduced({ map }: TypeView): boolean {
  return map !== undefined && map.fields.size === 0 && map.rest?.scalar === 'untyped';
}

function reconcileBelow(node: FieldSet, type: TypeView): FieldSet {
  let changed: Map<ElementId, FieldSet> | undefined;
  for (const [id, child] of node.below ?? []) {
    if (child.below === undefined) continue;
    const inside = viewBelow(type, id);
    const present = inside === undefined ? child : reconcile(child, inside);
    if (present === child) continue;
    changed ??= new Map(node.below);
    changed.set(id, present);
  }
  return changed === undefined ? node : FieldSet.node(node.isMember, changed);
}

/** Returns the type at an element: of a field or of an item. */
function viewBelow(type: TypeView, id: ElementId): TypeView | undefined {
  if (isFieldId(id)) return type.map && fieldView(type.map, fieldNameOf(id));
  return type.list?.item;
}

/** Adds to the set every field that the schema names and that has members below it. */
export function withNamedFields(fields: FieldSet, schema: Schema | undefined): FieldSet {
  return withNamed(fields, viewOf(schema));
}

function withNamed(node: FieldSet, type: TypeView | undefined): FieldSet {
  if (node.below === undefined) return node;
  let changed: Map<ElementId, FieldSet> | undefined;
  for (const [id, child] of node.below) {
    if (child.below === undefined) continue;
    const inside = withNamed(child, type && viewBelow(type, id));
    const isNamed = isFieldId(id) && type?.map?.fields.has(fieldNameOf(id)) === true;
    const whole = isNamed && !inside.isMember ? FieldSet.node(true, inside.below) : inside;
    if (whole === child) continue;
    changed ??= new Map(node.below);
    changed.set(id, whole);
  }
  return changed === undefined ? node : FieldSet.node(node.isMember, changed);
}
