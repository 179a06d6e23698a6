import { type FieldError, type FieldPath, invalid } from '@pintle/machinery/errors';

/** Checks a path below a volume's root: relative, without `..`, and its first part not reserved for the kubelet. */
export function validateUnreservedPath(target: string | undefined, path: FieldPath): FieldError[] {
  const errors = validateDescendingPath(target, path);
  if (target?.startsWith('..') && !target.startsWith('../'))
    errors.push(invalid(path, target, "must not start with '..'"));
  return errors;
}

/** Checks a relative path without `..`. */
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
