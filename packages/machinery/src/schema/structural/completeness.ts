import { type FieldError, type FieldPath, required } from '../../errors/index.ts';
import { childAt, listedChildren, namedChild, namedChildren, type SchemaAtPath } from './schema-json.ts';

/**
 * Checks that fields in a combinator are also specified outside of it. As in Kubernetes, checks the combinators of the
 * root only, at every depth.
 */
export function checkCompleteness(root: SchemaAtPath, errors: FieldError[]): void {
  checkCombinators(root, root, errors);
}

function checkCombinators(combinators: SchemaAtPath, structure: SchemaAtPath, errors: FieldError[]): void {
  const not = childAt(combinators, 'not');
  if (not !== undefined) checkNested(not, structure, errors);
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    for (const inner of listedChildren(combinators, keyword)) checkNested(inner, structure, errors);
  }
}

function checkNested(nested: SchemaAtPath, structure: SchemaAtPath, errors: FieldError[]): void {
  checkCombinators(nested, structure, errors);
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
  nested: SchemaAtPath,
  structure: SchemaAtPath | undefined,
  path: () => FieldPath,
  errors: FieldError[],
): void {
  if (structure === undefined) errors.push(required(path(), `because it is defined in ${nested.path}`));
  else checkNested(nested, structure, errors);
}
