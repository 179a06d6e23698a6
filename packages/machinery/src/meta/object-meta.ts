/** Names an object's kind and the version of its shape. */
export interface TypeMeta {
  apiVersion: string;
  kind: string;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: 'FieldsV1';
  fieldsV1?: object;
  subresource?: string;
}

/** What every persisted object carries. Times are RFC 3339 in UTC with whole seconds. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  /** Opaque to clients: compare for equality only, unless the API documents more. */
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

export interface ListMeta {
  selfLink?: string;
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

/** The least that every object of the API has. */
export interface KubernetesObject extends TypeMeta {
  metadata: ObjectMeta;
}

export interface KubernetesList<T = KubernetesObject> extends TypeMeta {
  metadata: ListMeta;
  items: T[];
}

/** `default/web`, or `web` for cluster-scoped objects. */
export function formatObjectName(metadata: { readonly namespace?: string; readonly name?: string }): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name ?? ''}` : (metadata.name ?? '');
}
