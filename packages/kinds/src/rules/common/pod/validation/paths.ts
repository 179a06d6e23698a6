import { type FieldError, type FieldPath, invalid } from '@pintle/machinery/errors';

/** A path below a volume's root: relative, never stepping up, its first part not reserved for the kubelet's own use. */
export function validateUnreservedPath(target: string | undefined, path: FieldPath): FieldError[] {
  const errors = validateDescendingPath(target, path);
  if (target?.startsWith('..') && !target.startsWith('../'))
    errors.push(invalid(path, target, "must not start with '..'"));
  return errors;
}

/** A relative path that never steps up. */
export function validateDescendingPath(target: string | undefined, path: FieldPath): FieldError[] {
  const errors = target?.startsWith('/') ? [invalid(path, target, 'must be a relative path')] : [];
  return [...errors, ...validateNoBacksteps(target, path)];
}

export function validateNoBacksteps(target: string | undefined, path: FieldPath): FieldError[] {
  return hasBackstep(target) ? [invalid(path, target, "must not contain '..'")] : [];
}

export function hasBackstep(target: string | undefined): boolean {
  return (target ?? '').split('/').includes('..');
}
