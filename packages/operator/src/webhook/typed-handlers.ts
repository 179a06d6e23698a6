import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import { errorText, invalidError } from '@pintle/machinery/errors';
import { deepCopy } from '@pintle/machinery/json';
import type { Conversion } from '../resource/conversion.ts';
import { ResourceError } from '../resource/errors.ts';
import type { AdmissionHandler, AdmissionRequest, AdmissionScope } from './admission.ts';
import { ALLOWED } from './admission.ts';
import { jsonDiff } from './json-diff.ts';

type Maybe<T> = T | Promise<T>;

/**
 * Object before validation: fields that `Input` requires may be missing. Defaults of the schema are filled in where their
 * parents exist.
 */
export type Unvalidated<T, Input = T> = T extends readonly (infer E)[]
  ? Input extends readonly (infer I)[]
    ? Unvalidated<E, I>[]
    : T
  : T extends object
    ? Input extends object
      ? Flat<
          { [K in keyof T as IsGiven<K, T, Input> extends true ? K : never]: Field<T, Input, K> } & {
            [K in keyof T as IsGiven<K, T, Input> extends true ? never : K]?: Field<T, Input, K> | undefined;
          }
        >
      : T
    : T;

type Flat<T> = { [K in keyof T]: T[K] } & {};
type Field<T, Input, K extends keyof T> = K extends Identity
  ? T[K]
  : Unvalidated<T[K], K extends keyof Input ? Exclude<Input[K], undefined> : T[K]>;

/** True for the identity, which the server sets, and for fields that are optional in `Input`. */
type IsGiven<K extends keyof T, T, Input> = K extends Identity
  ? true
  : string extends K
    ? true
    : K extends keyof Input
      ? object extends Pick<Input, K>
        ? true
        : false
      : true;
type Identity = 'apiVersion' | 'kind' | 'metadata';

/**
 * Fills in defaults: changes the object, or returns another. Not called for deletes. The server calls it before validation:
 * required fields may be missing, as in the type. When a handler fails because of that, the object is passed on unchanged, and
 * the server refuses it with the missing field.
 */
export type DefaultHandler<T extends KubernetesObject, Input extends KubernetesObject = T> = (
  object: Unvalidated<T, Input>,
  scope: AdmissionScope,
) => Maybe<Unvalidated<T, Input> | undefined | void>;

/**
 * Result of a validation: nothing, or a list of field errors. Throwing refuses too: a `StatusError` with its code and causes,
 * any other error as forbidden, with its message.
 */
export type ValidationResult = Maybe<readonly FieldError[] | undefined | void>;

/** Servers generate names before they ask validating webhooks. */
type Named<T extends KubernetesObject> = T & { readonly metadata: { name: string } };

/** Handlers by operation. The webhook is registered for the operations that have one. */
export interface ValidateHandlers<T extends KubernetesObject> {
  create?(object: Named<T>, scope: AdmissionScope): ValidationResult;
  update?(object: Named<T>, previous: Named<T>, scope: AdmissionScope): ValidationResult;
  delete?(object: Named<T>, scope: AdmissionScope): ValidationResult;
}

interface DefaultingDependencies {
  readonly hasShape: (object: KubernetesObject) => boolean;
  /** Version of the objects that the handler takes. */
  readonly apiVersion: string;
  /** Converts objects of other versions. */
  readonly conversion?: Conversion | undefined;
  /** Called when an object keeps its fields because a conversion fails on what it lacks. */
  readonly onUnconverted?: (error: ResourceError) => void;
}

export function defaulting<T extends KubernetesObject, Input extends KubernetesObject>(
  handler: DefaultHandler<T, Input>,
  { hasShape, apiVersion, conversion, onUnconverted }: DefaultingDependencies,
): AdmissionHandler {
  const convert = (object: KubernetesObject, to: string): KubernetesObject =>
    conversion === undefined ? object : conversion.convert(object, to);
  return async (request, scope) => {
    const { object, operation } = request;
    if (operation === 'DELETE' || !object) return ALLOWED;
    try {
      const converted = convert(object, apiVersion);
      const copy = deepCopy(converted) as Unvalidated<T, Input>;
      const result = ((await handler(copy, scope)) ?? copy) as KubernetesObject;
      if (jsonDiff(converted, result).length === 0) return ALLOWED;
      return { allowed: true, patch: jsonDiff(object, convert(result, object.apiVersion)) };
    } catch (error) {
      const isAboutShape = error instanceof TypeError || error instanceof ResourceError;
      if (!isAboutShape || hasShape(object)) throw error;
      // The server will refuse this object, and not know that the handler might have set what is missing.
      if (error instanceof ResourceError) {
        scope.warn(`no defaults were set: ${errorText(error)}`);
        onUnconverted?.(error);
      }
      return ALLOWED;
    }
  };
}

export function validating<T extends KubernetesObject>(handlers: ValidateHandlers<T>): AdmissionHandler {
  return async (request, scope) => {
    const errors = (await validate(handlers, request as AdmissionRequest<Named<T>>, scope)) ?? [];
    if (errors.length === 0) return ALLOWED;
    throw invalidError(request.kind, request.name ?? '', errors);
  };
}

function validate<T extends KubernetesObject>(
  handlers: ValidateHandlers<T>,
  { operation, object, oldObject }: AdmissionRequest<Named<T>>,
  scope: AdmissionScope,
): ValidationResult {
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
