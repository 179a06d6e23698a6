import type { ObjectMeta } from '../meta/object-meta.ts';

/** The fields of metadata, in the order in which Kubernetes declares and prints them. */
export const metadataFields = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const satisfies readonly (keyof ObjectMeta)[];
