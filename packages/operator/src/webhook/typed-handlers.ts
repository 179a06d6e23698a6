import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import { invalidError } from '@pintle/machinery/errors';
import { deepCopy } from '@pintle/machinery/json';
import type { AdmissionHandler, AdmissionRequest, AdmissionScope } from './admission.ts';
import { ALLOWED } from './admission.ts';
import type { ShapeCheck } from './has-shape.ts';
import { jsonDiff } from './json-diff.ts';

type Maybe<T> = T | Promise<T>;

/**
 * Fills in what is missing: changes the object it is given, or gives back another. Never asked about deletes. The server
 * asks before it validates: fields that the schema requires may be missing. A handler that fails because of that is left
 * out, and the server refuses the object with what is missing.
 */
export type DefaultHandler<T extends KubernetesObject> = (
  object: T,
  scope: AdmissionScope,
) => Maybe<T | undefined | void>;

/**
 * What is wrong with the object: nothing, or a list of field errors. Throwing refuses too: a `StatusError` with its code
 * and causes, any other error as forbidden, with its message.
 */
export type Verdict = Maybe<readonly FieldError[] | undefined | void>;

/** Each is asked about its operation; those that are missing are not asked for. */
export interface ValidateHandlers<T extends KubernetesObject> {
  create?(object: T, scope: AdmissionScope): Verdict;
  update?(object: T, previous: T, scope: AdmissionScope): Verdict;
  delete?(object: T, scope: AdmissionScope): Verdict;
}

export function defaulting<T extends KubernetesObject>(
  handler: DefaultHandler<T>,
  hasShape: ShapeCheck,
): AdmissionHandler {
  return async (request, scope) => {
    const { object, operation } = request as AdmissionRequest<T>;
    if (operation === 'DELETE' || !object) return ALLOWED;
    const copy = deepCopy(object);
    let result: T;
    try {
      result = (await handler(copy, scope)) ?? copy;
    } catch (error) {
      // An object like this does not pass the server's validation, which says why better than this error.
      if (error instanceof TypeError && !hasShape(object)) return ALLOWED;
      throw error;
    }
    const patch = jsonDiff(object, result);
    return patch.length === 0 ? ALLOWED : { allowed: true, patch };
  };
}

export function validating<T extends KubernetesObject>(handlers: ValidateHandlers<T>): AdmissionHandler {
  return async (request, scope) => {
    const errors = (await judge(handlers, request as AdmissionRequest<T>, scope)) ?? [];
    if (errors.length === 0) return ALLOWED;
    throw invalidError(request.kind, request.name ?? '', errors);
  };
}

function judge<T extends KubernetesObject>(
  handlers: ValidateHandlers<T>,
  { operation, object, oldObject }: AdmissionRequest<T>,
  scope: AdmissionScope,
): Verdict {
  switch (operation) {
    case 'CREATE':
      return object ? handlers.create?.(object, scope) : undefined;
    case 'UPDATE':
      return object && oldObject ? handlers.update?.(object, oldObject, scope) : undefined;
    case 'DELETE':
      return oldObject ? handlers.delete?.(oldObject, scope) : undefined;
    case 'CONNECT':
      return undefined;
  }
}
