import { type FieldError, type FieldPath, required } from '../../errors/index.ts';
import { childAt, listedChildren, namedChild, namedChildren, type PlacedSchema } from './schema-json.ts';

/**
 * What a junctor speaks of must be specified outside of it too. Kubernetes asks this of the root's junctors alone, all
 * the way down from there.
 */
export function checkCompleteness(root: PlacedSchema, errors: FieldError[]): void {
  checkJunctors(root, root, errors);
}

function checkJunctors(junctors: PlacedSchema, structure: PlacedSchema, errors: FieldError[]): void {
  const not = childAt(junctors, 'not');
  if (not !== undefined) checkNested(not, structure, errors);
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    for (const inner of listedChildren(junctors, keyword)) checkNested(inner, structure, errors);
  }
}

function checkNested(nested: PlacedSchema, structure: PlacedSchema, errors: FieldError[]): void {
  checkJunctors(nested, structure, errors);
  const items = childAt(nested, 'items');
  if (items !== undefined) {
    checkPair(items, childAt(structure, 'items'), () => structure.path.child('items'), errors);
  }
  for (const [name, property] of namedChildren(nested, 'properties')) {
    const specified = namedChild(structure, 'properties', name);
    checkPair(property, specified, () => structure.path.child('properties').key(name), errors);
  }
}

function checkPair(
  nested: PlacedSchema,
  structure: PlacedSchema | undefined,
  path: () => FieldPath,
  errors: FieldError[],
): void {
  if (structure === undefined) errors.push(required(path(), `because it is defined in ${nested.path}`));
  else checkNested(nested, structure, errors);
}
