import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import { invalidError } from '@pintle/machinery/errors';
import { deepCopy } from '@pintle/machinery/json';
import type { Conversion } from '../resource/conversion.ts';
import { ResourceError } from '../resource/errors.ts';
import type { AdmissionHandler, AdmissionRequest, AdmissionScope } from './admission.ts';
import { ALLOWED } from './admission.ts';
import { jsonDiff } from './json-diff.ts';

type Maybe<T> = T | Promise<T>;

/**
 * An object before it is validated: what whoever writes it must give, `Input` says, may be missing. Defaults of the schema
 * are filled in where their parents are there.
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

/** Who the object is, the server knows; what may be left out has a default, or may be missing by its type. */
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
 * Fills in what is missing: changes the object it is given, or gives back another. Never asked about deletes. The server
 * asks before it validates: fields that the schema requires may be missing, and the type says so. When a handler fails
 * because of that, the object goes on as it is, and the server refuses it with what is missing.
 */
export type DefaultHandler<T extends KubernetesObject, Input extends KubernetesObject = T> = (
  object: Unvalidated<T, Input>,
  scope: AdmissionScope,
) => Maybe<Unvalidated<T, Input> | undefined | void>;

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

interface DefaultingGround {
  readonly hasShape: (object: KubernetesObject) => boolean;
  /** Of the objects that the handler wants. */
  readonly apiVersion: string;
  /** Converts those that are sent in another version. */
  readonly conversion?: Conversion | undefined;
}

export function defaulting<T extends KubernetesObject, Input extends KubernetesObject>(
  handler: DefaultHandler<T, Input>,
  { hasShape, apiVersion, conversion }: DefaultingGround,
): AdmissionHandler {
  const convert = (object: KubernetesObject, to: string): KubernetesObject =>
    conversion === undefined ? object : conversion.convert(object, to);
  return async (request, scope) => {
    const { object, operation } = request;
    if (operation === 'DELETE' || !object) return ALLOWED;
    try {
      const seen = convert(object, apiVersion);
      const copy = deepCopy(seen) as Unvalidated<T, Input>;
      const result = ((await handler(copy, scope)) ?? copy) as KubernetesObject;
      if (jsonDiff(seen, result).length === 0) return ALLOWED;
      return { allowed: true, patch: jsonDiff(object, convert(result, object.apiVersion)) };
    } catch (error) {
      // An object like this does not pass the server's validation, which says why better than this error.
      const isAboutShape = error instanceof TypeError || error instanceof ResourceError;
      if (isAboutShape && !hasShape(object)) return ALLOWED;
      throw error;
    }
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
