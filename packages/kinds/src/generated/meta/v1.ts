import type { ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference } from '@pintle/machinery';

/**
 * An exact number with an optional suffix, as `500m`, `2`, `1.5Gi` or `3e6`. Decimal suffixes run from `n` to `E`,
 * binary ones from `Ki` to `Ei`.
 */
export type Quantity = string | number;

/** An API group that the server offers, with its versions. */
export interface APIGroup {
  /**
   * APIVersion defines the schema that the object is written in, by group and version, as `apps/v1`; objects of the
   * core group have the version alone, as `v1`.
   */
  apiVersion?: string;
  /** The name of the object's schema in CamelCase, as `Deployment`. The kind of an existing object does not change. */
  kind?: string;
  /** The name of the group, such as `apps`. */
  name: string;
  /** The version that clients should use if they have no reason for another. */
  preferredVersion?: GroupVersionForDiscovery;
  /** Addresses at which clients from certain networks reach the server. The first matching entry counts. */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
  /** The versions of the group that the server offers. */
  versions: GroupVersionForDiscovery[];
}

/** The API groups that the server offers; the core group is not among them. */
export interface APIGroupList {
  /**
   * APIVersion defines the schema that the object is written in, by group and version, as `apps/v1`; objects of the
   * core group have the version alone, as `v1`.
   */
  apiVersion?: string;
  /** The groups, each with its versions. */
  groups: APIGroup[];
  /** The name of the object's schema in CamelCase, as `Deployment`. The kind of an existing object does not change. */
  kind?: string;
}

/** A resource that the server offers in a group version. */
export interface APIResource {
  /** Names of groups of resources that it belongs to, such as `all`, which `kubectl get` understands. */
  categories?: string[];
  /** The group of the resource's kind, if it is not that of the list. */
  group?: string;
  /** The kind of the objects of the resource. */
  kind: string;
  /** The plural name by which the resource is addressed, with a slash before a subresource, as `pods` or `pods/log`. */
  name: string;
  /** Whether the objects of the resource live in namespaces. */
  namespaced: boolean;
  /** Abbreviations for use at the command line, such as `po`. */
  shortNames?: string[];
  /** The name of the resource in the singular, for use at the command line. */
  singularName: string;
  /**
   * A hash of the group, version and kind in which the objects are stored. It changes with the storage version and
   * means nothing else.
   */
  storageVersionHash?: string;
  /** Says what clients can do with the resource, such as `get`, `list`, `watch` and `create`. */
  verbs: string[];
  /** The version of the resource's kind, if it is not that of the list. */
  version?: string;
}

/** The resources that the server offers in one group version. */
export interface APIResourceList {
  /**
   * APIVersion defines the schema that the object is written in, by group and version, as `apps/v1`; objects of the
   * core group have the version alone, as `v1`.
   */
  apiVersion?: string;
  /** The group and version that the resources belong to, as `apps/v1`. */
  groupVersion: string;
  /** The name of the object's schema in CamelCase, as `Deployment`. The kind of an existing object does not change. */
  kind?: string;
  /** The resources and subresources. */
  resources: APIResource[];
}

/** The versions of the core API that the server offers at `/api`. */
export interface APIVersions {
  /**
   * APIVersion defines the schema that the object is written in, by group and version, as `apps/v1`; objects of the
   * core group have the version alone, as `v1`.
   */
  apiVersion?: string;
  /** The name of the object's schema in CamelCase, as `Deployment`. The kind of an existing object does not change. */
  kind?: string;
  /** Addresses at which clients from certain networks reach the server. The first matching entry counts. */
  serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
  /** The names of the versions, such as `v1`. */
  versions: string[];
}

/** One observation about the state of an object, in the form that newer kinds share. */
export interface Condition {
  /** When `status` last changed from one value to another. */
  lastTransitionTime: Time;
  /** An explanation of the last change for people, at most 32768 characters and possibly empty. */
  message: string;
  /**
   * The `metadata.generation` that the condition was derived from. If it is lower than the current one, the condition
   * is out of date.
   */
  observedGeneration?: number;
  /** The reason of the last change as a CamelCase word for programs, 1 to 1024 characters. */
  reason: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /**
   * The name of the condition in CamelCase, possibly qualified as in `example.com/Ready`. A list has one condition of
   * each type.
   */
  type: string;
}

/** How an object is to be deleted. It is the body of a delete request. */
export interface DeleteOptions {
  /**
   * APIVersion defines the schema that the object is written in, by group and version, as `apps/v1`; objects of the
   * core group have the version alone, as `v1`.
   */
  apiVersion?: string;
  /** Whether to go through all stages of the request without storing the result. The only value is `All`. */
  dryRun?: string[];
  /**
   * How many seconds the object may take to end; `0` means at once. It must not be negative, and without it the kind
   * decides.
   */
  gracePeriodSeconds?: number;
  /**
   * Whether to delete an object that cannot be read from the store, without finalizers or preconditions. It needs a
   * permission of its own and can leave the cluster broken.
   */
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  /** The name of the object's schema in CamelCase, as `Deployment`. The kind of an existing object does not change. */
  kind?: string;
  /**
   * Whether the objects that this one owns stay when it is deleted. It must not be set together with
   * `propagationPolicy`.
   * @deprecated Use `propagationPolicy` instead.
   */
  orphanDependents?: boolean;
  /** Says what must be true of the object for it to be deleted. */
  preconditions?: Preconditions;
  /**
   * Says what happens to the objects that this one owns, as the kind and the finalizers decide if nothing is given.
   * `Orphan` keeps them, `Background` deletes them afterwards, `Foreground` deletes them first.
   */
  propagationPolicy?: string;
}

/** Says what a selector requires of one field. */
export interface FieldSelectorRequirement {
  /** The path of the field, such as `spec.nodeName`. */
  key: string;
  /** How the field is compared, one of `In`, `NotIn`, `Exists` and `DoesNotExist`. */
  operator: string;
  /** The values to compare with. `In` and `NotIn` need at least one, `Exists` and `DoesNotExist` allow none. */
  values?: string[];
}

/**
 * A set of fields as a tree of JSON objects. A key is `f:NAME` for a field, `k:KEYS` for an item of a keyed list,
 * `v:VALUE` for an item of a set, and `.` for the place itself.
 */
export type FieldsV1 = object;

/** One version of an API group, in two spellings. */
export interface GroupVersionForDiscovery {
  /** The group and version together, as `apps/v1`. */
  groupVersion: string;
  /** The version without the group, as `v1`. */
  version: string;
}

/** Selects objects by their labels. An object must fulfil all requirements; a selector without any selects everything. */
export interface LabelSelector {
  /** Requirements with an operator, all of which must be fulfilled. */
  matchExpressions?: LabelSelectorRequirement[];
  /** Labels that an object must have with exactly these values. */
  matchLabels?: Record<string, string>;
}

/** Says what a selector requires of the label with one key. */
export interface LabelSelectorRequirement {
  /** The key of the label that the requirement is about. */
  key: string;
  /**
   * How the label is compared, one of `In`, `NotIn`, `Exists` and `DoesNotExist`. `NotIn` also accepts objects without
   * the label.
   */
  operator: string;
  /** The values to compare with. `In` and `NotIn` need at least one, `Exists` and `DoesNotExist` allow none. */
  values?: string[];
}

export type { ListMeta };

export type { ManagedFieldsEntry };

/** A point in time to the microsecond, as `2024-05-01T12:30:00.000000Z` in the form of RFC 3339. */
export type MicroTime = string;

export type { ObjectMeta };

export type { OwnerReference };

/**
 * The body of a patch request. Its form depends on the content type, which names a JSON patch, a merge patch, a
 * strategic merge patch or an apply.
 */
export interface Patch {}

/** Says what must be true of an object for an operation on it to happen; otherwise the server answers with a conflict. */
export interface Preconditions {
  /** The resource version that the object must have. */
  resourceVersion?: string;
  /** The UID that the object must have, so that no later object of the same name is hit. */
  uid?: string;
}

/** The address of the server for clients from one network. */
export interface ServerAddressByClientCIDR {
  /** The network of the clients that should use the address, as `10.0.0.0/8`. */
  clientCIDR: string;
  /** The host name or IP address of the server, possibly with a port. */
  serverAddress: string;
}

/** The part of all objects that a list was limited to. */
export interface ShardInfo {
  /** The shard selector of the request, as the server applied it. */
  selector: string;
}

/** The result of a request that returns no object, above all of one that failed. */
export interface Status {
  /** The group and version of the list's schema, as `apps/v1`. */
  apiVersion?: string;
  /** The HTTP status code of the response. */
  code?: number;
  /** More about the failure in a form that programs can read. Which fields are set depends on `reason`. */
  details?: StatusDetails;
  /** The name of the list's schema, which is the kind of its items with `List` appended. */
  kind?: string;
  /** A description of the result for people. */
  message?: string;
  /** The metadata of a list, which carries a resource version or a continue token for some results. */
  metadata?: ListMeta;
  /** Why the request failed, in one word such as `NotFound`, `Conflict` or `Invalid`. It refines the status code. */
  reason?: string;
  /** The outcome of the request, either `Success` or `Failure`. */
  status?: string;
}

/** One mistake among those that made a request fail. */
export interface StatusCause {
  /**
   * The path of the field at fault as in the JSON form, such as `spec.ports[0].name`. It may be empty if no field is
   * to blame.
   */
  field?: string;
  /** A description of the mistake for people. */
  message?: string;
  /** The sort of mistake in one word, such as `FieldValueRequired` or `FieldValueInvalid`. */
  reason?: string;
}

/** Says what a failed request was about, and what was wrong. */
export interface StatusDetails {
  /** The single mistakes that were found, one for each field if the object is invalid. */
  causes?: StatusCause[];
  /** The API group of the resource that the request was about. */
  group?: string;
  /** The kind, or sometimes the resource, that the request was about. */
  kind?: string;
  /** The name of the object that the request was about. */
  name?: string;
  /** How many seconds the client should wait before it tries again. */
  retryAfterSeconds?: number;
  /** The UID of the object, if there is exactly one. */
  uid?: string;
}

/** A point in time to the second, as `2024-05-01T12:30:00Z` in the form of RFC 3339. */
export type Time = string;

/** One change in a watch stream. */
export interface WatchEvent {
  /**
   * The object after the change, or before it for `DELETED`. A `BOOKMARK` has only a resource version, an `ERROR` has
   * a Status.
   */
  object: RawExtension;
  /** The sort of change, one of `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` and `ERROR`. */
  type: string;
}

/** An object of any kind, kept as it was written. */
export type RawExtension = object;

/** A whole number or a text. Depending on the field the text is a percentage, as `25%`, or the name of a port. */
export type IntOrString = number | string;

/** The version of the server, as given at `/version`. */
export interface Info {
  /** When the server was built. */
  buildDate: string;
  /** The compiler that built the server. */
  compiler: string;
  /** The major number of the Kubernetes version whose behaviour the server follows. */
  emulationMajor?: string;
  /** The minor number of the Kubernetes version whose behaviour the server follows. */
  emulationMinor?: string;
  /** The commit that the server was built from. */
  gitCommit: string;
  /** Whether the source had changes that were not committed, either `clean` or `dirty`. */
  gitTreeState: string;
  /** The full version, as `v1.36.4`. */
  gitVersion: string;
  /** The version of the Go release, or of the runtime in its place, that the server runs with. */
  goVersion: string;
  /** The first number of the version, as `1`. */
  major: string;
  /** The major number of the oldest version that the server stays compatible with. */
  minCompatibilityMajor?: string;
  /** The minor number of the oldest version that the server stays compatible with. */
  minCompatibilityMinor?: string;
  /** The second number of the version, as `36`. */
  minor: string;
  /** The operating system and processor architecture of the server, as `linux/amd64`. */
  platform: string;
}
