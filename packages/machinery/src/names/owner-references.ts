import type { FieldError } from '../errors/field-error.ts';
import { addErrors, firstWholeListErrors, invalid, MAX_FIELD_ERRORS } from '../errors/field-error.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { parseGroupVersion } from '../meta/group-version.ts';
import type { OwnerReference } from '../meta/object-meta.ts';

/** Checks that each reference is complete, none names an Event, and at most one is the controller. */
export function validateOwnerReferences(references: readonly OwnerReference[] = [], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const controllers = references.filter((reference) => reference.controller);
  const tooMany = firstWholeListErrors(controllerErrors(references, controllers, path));
  for (const reference of references) {
    if (errors.length >= MAX_FIELD_ERRORS) break;
    addErrors(errors, referenceErrors(reference, path));
    if (!reference.controller || reference === controllers[0]) continue;
    const { value } = tooMany.next();
    if (value !== undefined) errors.push(value);
  }
  return errors;
}

function* controllerErrors(
  references: readonly OwnerReference[],
  [first, ...others]: readonly OwnerReference[],
  path: FieldPath,
): Iterable<FieldError> {
  for (const other of others) yield invalid(path, references.map(inOrder), describeTwo(first!, other));
}

function referenceErrors(reference: OwnerReference, path: FieldPath): FieldError[] {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  const errors: FieldError[] = [];
  const groupVersion = parseGroupVersion(apiVersion);
  if (!groupVersion?.version) errors.push(invalid(path.child('apiVersion'), apiVersion, 'version must not be empty'));
  for (const [field, value] of Object.entries({ kind, name, uid }))
    if (value === '') errors.push(invalid(path.child(field), value, 'must not be empty'));
  // Kubernetes disallows Events as owners: they expire within hours, and their dependents would be collected with them.
  if (groupVersion?.group === '' && groupVersion.version === 'v1' && kind === 'Event')
    errors.push(invalid(path, inOrder(reference), '/v1, Kind=Event is disallowed from being an owner'));
  return errors;
}

function describeTwo(first: OwnerReference, second: OwnerReference): string {
  const names = [first, second].map(({ kind, name }) => `${kind}/${name}`).join(' and ');
  return `Only one reference can have Controller set to true. Found "true" in references for ${names}`;
}

/** Returns the fields in the order of the API's type, in which Kubernetes prints them. */
function inOrder({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): object {
  return { apiVersion, kind, name, uid, controller, blockOwnerDeletion };
}
