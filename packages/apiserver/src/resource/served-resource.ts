import type { GroupKind, GroupResource, KubernetesObject, ResourceType } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import type { ReplicasPaths, VersionedObject } from '@pintle/machinery/fields';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { asJson, deepCopy, isJsonObject } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { ExplicitEmpty, Schema } from '@pintle/machinery/schema';
import type { Operation } from '@pintle/store';
import type { Verb } from '../request/request-info.ts';
import type { EndpointDependencies, Endpoints, RequestContext } from './endpoint.ts';

/** Reads JSON as an object of a kind, by its schema. */
export interface ObjectReader {
  /**
   * Returns the known fields in canonical form, and the paths of unknown ones. Throws an Error whose message says what
   * cannot be read. `keepsNulls`: nulls of a custom resource stay, for validation to refuse. `floats`: numbers
   * that are written as `1.0`, by path, which integers of a built-in kind refuse.
   */
  read(
    value: JsonValue,
    options?: { readonly keepsNulls?: boolean; readonly floats?: ReadonlyMap<string, string> },
  ): {
    readonly value: JsonObject;
    readonly unknown: readonly string[];
    /** Empty lists and maps that were sent and left out. Custom resources keep them. */
    readonly emptied?: readonly ExplicitEmpty[];
  };
}

/** One version of a resource as the server serves it. Versions of a resource share their objects in the store. */
export interface ServedResource {
  readonly type: ResourceType;
  /** Storage location of the objects, for most kinds the resource's own group and name. */
  readonly storage: GroupResource;
  readonly verbs: ReadonlySet<Verb>;
  readonly rules: ResourceRules;
  readonly reader: ObjectReader;
  /** The schema for merging patches and for field ownership. */
  fieldSchema(): Schema | undefined;
  /**
   * Replaces empty lists by what is stored, in place, and returns a function that restores them. Absent for custom
   * resources, which store them as they are.
   */
  readonly stripEmptyLists?: (object: KubernetesObject) => () => void;
  /**
   * Converts an object of any version to another, served or not, and returns it with the schema of its fields there;
   * `undefined` when there is no such version. Absent for built-in kinds, all of whose versions are served.
   */
  readonly ownedIn?: (object: JsonObject, apiVersion: string) => Promise<VersionedObject | undefined>;
  /** True when list items have apiVersion and kind, as those of custom resources do. */
  readonly itemsAreTyped: boolean;
  readonly isCustom: boolean;
  /** Name of the protobuf message; absent when there is no protobuf form. */
  readonly protobufMessage?: string;
  /** Media types of patches that the resource accepts. */
  readonly patchTypes: readonly string[];
  readonly subresources: ReadonlyMap<string, ServedSubresource>;
  /** Converts a built-in kind from the other version, in which it is stored, and back. */
  readonly conversion?: {
    fromStorage(object: KubernetesObject): KubernetesObject;
    toStorage(object: KubernetesObject): KubernetesObject;
  };
  /** Set for a resource that serves a part of other objects: the Scale of a Deployment. */
  readonly scaleView?: ScaleView;
  /** Serves these verbs. Default: objects are stored and served as they are. */
  readonly endpoints?: Endpoints;
  /** Deprecation warning, sent with every response. */
  readonly deprecation?: string;
  /** Aborts when the resource is no longer served or is replaced: its watches then end. */
  readonly gone?: AbortSignal;
  /** Returns the reason why no object may be created now; `undefined` when one may. */
  readonly creationRefusal?: () => string | undefined;
  /** Converts stored objects that may have another version or schema. Absent: objects are stored as served. */
  readonly codec?: StorageCodec;
  /** Time to live of objects, from their last write. */
  readonly ttlMs?: number;
  readonly allocator?: Allocator;
  /** Checks an object against others, before its own validation. Without `previous` the object is new. */
  readonly checkRelatedObjects?: (
    context: RequestContext,
    next: KubernetesObject,
    previous: KubernetesObject | undefined,
  ) => Promise<readonly FieldError[]>;
}

/** An object as stored: in the version of its `apiVersion`, by the schema that `tag` names. */
export interface StorageObject {
  readonly object: KubernetesObject;
  readonly tag: string;
}

export interface ReadOptions {
  /** Converts again instead of using an earlier answer of the webhook. */
  readonly isFresh?: boolean;
  /**
   * The objects are not written yet: they have the resourceVersion of the stored ones, but differ. Conversions of them
   * are neither looked up nor cached.
   */
  readonly isUnwritten?: boolean;
}

export interface StorageCodec {
  /** The apiVersion in which objects are written now. */
  readonly storageVersion: string;
  /** True when a webhook converts objects, which may fail. */
  readonly mayFail: boolean;
  /** True when such objects are served as stored, apart from apiVersion, and need not be parsed. */
  isServedAsStored(apiVersion: string, tag: string): boolean;
  /**
   * Converts objects to this version, in the order given, and may change those. Rejects when one of them has a version
   * that no longer exists, or cannot be converted.
   */
  fromStorage(stored: readonly StorageObject[], options?: ReadOptions): Promise<KubernetesObject[]>;
  /** Converts an object to its stored form, without changing it. Rejects when it cannot be converted. */
  toStorage(object: KubernetesObject): Promise<StorageObject>;
}

/**
 * Allocates values of an object that are stored in records of their own, in the same transaction: the addresses of a
 * service.
 */
export interface Allocator {
  /**
   * Fills allocated values into `next`, in place, and returns the operations that claim them and release those of
   * `previous`. Without `previous` the object is new, without `next` it is deleted. Called again when the write meets a
   * conflict. Throws when a requested value is not available.
   */
  allocate(
    dependencies: EndpointDependencies,
    next: KubernetesObject | undefined,
    previous: KubernetesObject | undefined,
    options: { readonly isDryRun: boolean },
  ): Promise<readonly Operation[]>;
}

export interface ScaleView {
  /** The resource whose objects are stored, with its rules. */
  readonly parent: ServedResource;
  project(object: KubernetesObject): KubernetesObject;
  /** Marks unset fields in the view that a patch starts from, in place. */
  markUnset?(view: KubernetesObject, object: KubernetesObject): void;
  /** Returns the object with the changed view merged in. Throws when the view is invalid. */
  mergeInto(view: KubernetesObject, object: KubernetesObject): KubernetesObject;
  /** Removes what the object's schema does not have after a merge. */
  prune?(object: KubernetesObject): KubernetesObject;
  /** Path of the replicas in the object, by version: an owner of one owns the other. */
  readonly replicasPaths: ReplicasPaths;
}

export interface ServedSubresource {
  readonly name: string;
  readonly verbs: ReadonlySet<Verb>;
  /** Serves these verbs. Default: the subresource returns the object and changes a part of it. */
  readonly endpoints?: Endpoints;
}

/** Returns the resource for errors about finding and storing objects. */
export function groupResourceOf({ type }: ServedResource): GroupResource {
  return { group: type.group, resource: type.plural };
}

/** Returns the kind for validation errors: events of either group are in the core group. */
export function groupKindOf({ type, storage }: ServedResource): GroupKind {
  return { group: storage.group, kind: type.kind };
}

/** Returns the value as an object of the resource's kind: sets apiVersion and kind, and adds missing metadata. */
export function asObject(value: JsonObject, resource: ServedResource): KubernetesObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = value;
  const { type } = resource;
  return {
    apiVersion: type.apiVersion,
    kind: type.kind,
    metadata: isJsonObject(metadata) ? metadata : {},
    ...rest,
  } as unknown as KubernetesObject;
}

/**
 * Converts a built-in object to another version of its resource. Reads it first, because conversions expect complete
 * objects.
 */
export function convertBetween(from: ServedResource, to: ServedResource, object: JsonObject): JsonObject {
  const read = asObject(from.reader.read(deepCopy(object)).value, from);
  const stored = from.conversion?.toStorage(read) ?? read;
  const { kind, apiVersion } = to.type;
  return asJson({ ...(to.conversion?.fromStorage(stored) ?? stored), kind, apiVersion });
}
