import type { Schema, ZeroRule } from './schema.ts';
import { compileTyped, type TypedReader } from './typed/compile-typed.ts';

const string: Schema = { type: 'string', goType: 'string' };
const uid: Schema = { type: 'string', goType: 'types.UID' };
const int64: Schema = { type: 'integer', format: 'int64', goType: 'int64' };
const flag: Schema = { type: 'boolean', goType: 'bool' };
const time: Schema = { type: 'string', format: 'date-time', goType: 'v1.Time' };
const texts: Schema = { type: 'object', additionalProperties: string };

const ownerReference = struct('v1.OwnerReference', {
  apiVersion: as('emit', string),
  blockOwnerDeletion: as('keep', flag),
  controller: as('keep', flag),
  kind: as('emit', string),
  name: as('emit', string),
  uid: as('emit', uid),
});

const managedFields = struct('v1.ManagedFieldsEntry', {
  apiVersion: as('omit', string),
  fieldsType: as('omit', string),
  fieldsV1: as('keep', { type: 'object', preserveUnknownFields: true, goType: 'v1.FieldsV1' }),
  manager: as('omit', string),
  operation: as('omit', { type: 'string', goType: 'v1.ManagedFieldsOperationType' }),
  subresource: as('omit', string),
  time: as('keep', time),
});

/**
 * The metadata of an object of any kind. The schemas of built-in kinds include the same fields; custom resources have
 * only this.
 */
export const objectMetaSchema: Schema = struct('v1.ObjectMeta', {
  annotations: as('omit', texts),
  creationTimestamp: as('omit', time),
  deletionGracePeriodSeconds: as('keep', int64),
  deletionTimestamp: as('keep', time),
  finalizers: as('omit', { type: 'array', items: string }),
  generateName: as('omit', string),
  generation: as('omit', int64),
  labels: as('omit', texts),
  managedFields: as('omit', { type: 'array', items: managedFields }),
  name: as('omit', string),
  namespace: as('omit', string),
  ownerReferences: as('omit', { type: 'array', items: ownerReference }),
  resourceVersion: as('omit', string),
  selfLink: as('omit', string),
  uid: as('omit', uid),
});

/** Reads metadata alone, as Kubernetes does for custom resources: `Go struct field ObjectMeta.labels of type …`. */
export const objectMetaReader: TypedReader = compileTyped(objectMetaSchema);

function struct(goType: string, properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', goType, properties };
}

function as(zero: ZeroRule, schema: Schema): Schema {
  return { ...schema, zero };
}
