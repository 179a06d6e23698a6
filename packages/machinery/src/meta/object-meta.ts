import { isJsonObject } from '../json/value.ts';

/** Names an object's kind and the version of its shape. */
export interface TypeMeta {
  /**
   * APIVersion defines the schema that the object is written in, by group and version, as `apps/v1`; objects of the
   * core group have the version alone, as `v1`.
   */
  apiVersion: string;
  /** The name of the object's schema in CamelCase, as `Deployment`. The kind of an existing object does not change. */
  kind: string;
}

export interface OwnerReference {
  /** The group and version of the owner's kind. */
  apiVersion: string;
  /** The kind of the owner. */
  kind: string;
  /** The name of the owner. */
  name: string;
  /** The UID of the owner. An object of the same name with another UID does not count as the owner. */
  uid: string;
  /** Whether the owner is the controller that manages this object. Only one reference may say so. */
  controller?: boolean;
  /**
   * Whether a foreground deletion of the owner waits until this object is gone. Setting it requires the permission to
   * change the finalizers of the owner.
   */
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  /** The name of the manager, as given in the request's `fieldManager` or derived from its user agent. */
  manager?: string;
  /** Way in which the manager wrote the fields, either `Apply` for server-side apply or `Update` for every other way. */
  operation?: 'Apply' | 'Update';
  /** The version of the schema that `fieldsV1` refers to. */
  apiVersion?: string;
  /** When the set last changed, by a field that the manager added, changed or ceased to own. */
  time?: string;
  /** The form of the field set, which is always `FieldsV1`. */
  fieldsType?: 'FieldsV1';
  /** The set of the managed fields. */
  fieldsV1?: object;
  /**
   * The subresource through which the fields were written, empty for the object itself. A manager has separate entries
   * for each.
   */
  subresource?: string;
}

/** The metadata of every persisted object. Times are RFC 3339 in UTC with whole seconds. */
export interface ObjectMeta {
  /**
   * The name by which the object is addressed, unique among the objects of its resource in a namespace, or in the
   * cluster if the resource has no namespaces. It cannot change after creation.
   */
  name?: string;
  /** A prefix to which the server appends five random characters to make a name, if `name` is empty. */
  generateName?: string;
  /**
   * The namespace that the object belongs to, empty for objects of cluster scope. If it is left out of a request, the
   * namespace in the request's path applies. It cannot change after creation.
   */
  namespace?: string;
  /**
   * An address of the object, which the server leaves empty.
   * @deprecated Not set since Kubernetes 1.20.
   */
  selfLink?: string;
  /**
   * An identifier that tells the object from all others there ever were, also from those of the same name. The server
   * sets it. It cannot change after creation.
   */
  uid?: string;
  /**
   * A value that changes with every write of the object. An update that names another version than the current one is
   * refused as a conflict; clients compare it but do not interpret it otherwise.
   */
  resourceVersion?: string;
  /** A number that the server increases with every change of the desired state, which is mostly `spec`. */
  generation?: number;
  /** CreationTimestamp is a timestamp of when the server created the object, in UTC. Only the server sets it. */
  creationTimestamp?: string | null;
  /**
   * When the object is due to be gone. The server sets it on a delete that has to wait for finalizers or a grace
   * period, and nothing can take it back.
   */
  deletionTimestamp?: string;
  /**
   * Seconds that the object may take to end, counted from the request to delete it. The server sets it along with
   * `deletionTimestamp`, and it may only be shortened.
   */
  deletionGracePeriodSeconds?: number;
  /** Short values under qualified keys by which objects are selected and grouped. A value has at most 63 characters. */
  labels?: Record<string, string>;
  /**
   * Text that tools and people attach to the object under qualified keys. Annotations cannot be selected by; all keys
   * and values together may have at most 256 KiB.
   */
  annotations?: Record<string, string>;
  /**
   * Objects that this one depends on, of which at most one is its controller. The garbage collector deletes it once
   * all of them are gone.
   */
  ownerReferences?: OwnerReference[];
  /**
   * Names of work that must be done before the object is removed; none can be added during deletion. A controller
   * removes its name when its work is done, and the server removes the object when the list is empty.
   */
  finalizers?: string[];
  /**
   * Managers with the fields that each of them set; server-side apply finds conflicts with it. The server maintains
   * it.
   */
  managedFields?: ManagedFieldsEntry[];
}

export interface ListMeta {
  /**
   * An address of the list, which the server leaves empty.
   * @deprecated Not set since Kubernetes 1.20.
   */
  selfLink?: string;
  /** The version of the store at which the list was read. A watch that starts from it misses nothing. */
  resourceVersion?: string;
  /**
   * A token for the next page, to be passed as `continue` in the next request; empty on the last page. It expires
   * after some minutes.
   */
  continue?: string;
  /**
   * Number of objects that follow this page. It is absent on the last page and where a selector makes the number
   * unknown.
   */
  remainingItemCount?: number;
  /** Set when a shard selector was applied, with its canonical text. The list is then a part of the collection. */
  shardInfo?: { selector: string };
}

/** The fields that every object of the API has. */
export interface KubernetesObject extends TypeMeta {
  /** Standard object's metadata, such as its name, namespace, labels and owners. */
  metadata: ObjectMeta;
}

export interface KubernetesList<T = KubernetesObject> extends TypeMeta {
  /** The resource version that the list was read at, and how to read on where the list is not complete. */
  metadata: ListMeta;
  /** The objects of the list, or of one page of it. */
  items: T[];
}

/** Returns the same value, typed as an object; `undefined` when it lacks an apiVersion, a kind or metadata. */
export function asKubernetesObject(value: unknown): KubernetesObject | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.metadata)) return undefined;
  const isOfKind = [value.apiVersion, value.kind].every((text) => typeof text === 'string' && text !== '');
  return isOfKind ? (value as unknown as KubernetesObject) : undefined;
}

/** As `asKubernetesObject`, for values that this program made or checked. Throws a TypeError when it is not an object. */
export function toKubernetesObject(value: unknown): KubernetesObject {
  const object = asKubernetesObject(value);
  if (object === undefined) throw new TypeError('Cannot read an object: it has no apiVersion, kind or metadata');
  return object;
}

/** Returns `default/web`, or `web` for cluster-scoped objects. */
export function formatObjectName(metadata: { readonly namespace?: string; readonly name?: string }): string {
  return metadata.namespace ? `${metadata.namespace}/${metadata.name ?? ''}` : (metadata.name ?? '');
}
