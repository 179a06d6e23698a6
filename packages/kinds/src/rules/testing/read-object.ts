import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import type { Finding, ResourceRules } from '@pintle/machinery/rules';
import { compileTyped } from '@pintle/machinery/schema';
import { schemaOf } from '../../schemas/index.ts';

/**
 * Returns an object as rules receive it: read as the server reads bodies, in namespace `default`, with the metadata of
 * a new object.
 */
export function readObject<T extends KubernetesObject>(body: object): T {
  const { apiVersion, kind } = body as KubernetesObject;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const { value } = compileTyped(schemaOf({ group, version, kind })!).read(body as JsonValue);
  const object = structuredClone(value) as unknown as T;
  object.metadata = {
    namespace: 'default',
    uid: '8f2c1a52-0000-4000-8000-000000000000',
    creationTimestamp: '2024-01-01T00:00:00Z',
    ...object.metadata,
  };
  return object;
}

/** Returns the object as a create would store it, valid or not. */
export function createObject<T extends KubernetesObject>(rules: ResourceRules<T>, body: object): T {
  const object = readObject<T>(body);
  if (rules.tracksGeneration) object.metadata.generation = 1;
  rules.default?.(object);
  rules.prepareForCreate?.(object);
  return object;
}

/** Returns the object after an update to `change(object)`, and its errors as `field: detail`, first lines only. */
export function updateObject<T extends KubernetesObject>(
  rules: ResourceRules<T>,
  previous: T,
  change: (object: T) => void,
  subresource?: string,
): { readonly next: T; readonly errors: string[] } {
  const part = subresource === undefined ? rules : rules.subresources![subresource]!;
  const next = structuredClone(previous);
  change(next);
  rules.default?.(next);
  part.prepareForUpdate?.(next, previous);
  const errors = errorsIn(part.validateUpdate?.(next, previous) ?? []);
  return { next, errors: errors.map(({ field, body }) => `${field}: ${body.split('\n', 1)[0]}`) };
}

/** Returns the errors without the checks of metadata. */
export function errorsIn(findings: readonly Finding[]): FieldError[] {
  return findings.filter((finding) => typeof finding !== 'string');
}
