import type { GroupKind, GroupResource, KubernetesObject, ResourceType } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import type { ReplicasPaths, VersionedObject } from '@pintle/machinery/fields';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { asJson, deepCopy, isJsonObject } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Schema, SentEmpty } from '@pintle/machinery/schema';
import type { Operation } from '@pintle/store';
import type { Verb } from '../request/request-info.ts';
import type { EndpointCall, Endpoints, Foundation } from './endpoint.ts';

/** Turns what a client sent into an object of the kind, as the kind's schema has it. */
export interface ObjectReader {
  /**
   * Keeps what the schema knows, in canonical form, and tells the paths of what it does not know. Throws an Error whose
   * message says what cannot be read. `keepsNulls`: nulls of a custom resource stay, for validation to refuse.
   * `floats`: whole numbers that are written as `1.0`, by their paths, which a built-in kind's integers refuse.
   */
  read(
    value: JsonValue,
    options?: { readonly keepsNulls?: boolean; readonly floats?: ReadonlyMap<string, string> },
  ): {
    readonly value: JsonObject;
    readonly unknown: readonly string[];
    /** What was sent empty and left out. Custom resources keep such. */
    readonly emptied?: readonly SentEmpty[];
  };
}

/** One version of one resource as the server offers it. Versions of a resource share their objects in the store. */
export interface ServedResource {
  readonly type: ResourceType;
  /** Where the objects are kept, which for most kinds is the resource's own group and name. */
  readonly storage: GroupResource;
  readonly verbs: ReadonlySet<Verb>;
  readonly rules: ResourceRules;
  readonly reader: ObjectReader;
  /** The schema by which patches merge and the ownership of fields is kept. */
  fieldSchema(): Schema | undefined;
  /**
   * Makes of empty lists what is stored of them, in place, and gives the way back. Absent for custom resources, where they
   * are stored as such.
   */
  readonly forgetEmptyLists?: (object: KubernetesObject) => () => void;
  /**
   * An object of any version in another, served or not, with the schema by which its fields are owned there; `undefined`
   * when there is no such version. Absent for built-in kinds, all of whose versions are served.
   */
  readonly ownedIn?: (object: JsonObject, apiVersion: string) => Promise<VersionedObject | undefined>;
  /** The items of a list say their own apiVersion and kind. True for custom resources. */
  readonly itemsAreTyped: boolean;
  readonly isCustom: boolean;
  /** The name of the protobuf message, when clients may speak protobuf. */
  readonly protobufMessage?: string;
  /** Media types of the patches this resource takes. */
  readonly patchTypes: readonly string[];
  readonly subresources: ReadonlyMap<string, ServedSubresource>;
  /** One of two versions of a built-in kind: changes an object from the other, in which it is kept, and back. */
  readonly conversion?: {
    fromStorage(object: KubernetesObject): KubernetesObject;
    toStorage(object: KubernetesObject): KubernetesObject;
  };
  /** A resource that shows and changes a part of another one's objects: a Scale of a Deployment. */
  readonly facade?: Facade;
  /** Serves these verbs itself. Without it, objects are stored and served as of most kinds. */
  readonly endpoints?: Endpoints;
  /** What clients are told about the end of this version, with every answer. */
  readonly deprecation?: string;
  /** Aborts when the resource is no longer served, or another takes its place: watches of it end then. */
  readonly gone?: AbortSignal;
  /** Why no object may be created right now; `undefined` when one may. */
  readonly whyNoneCanBeCreated?: () => string | undefined;
  /** How objects are kept that others may have written in another version or by another schema. Absent: as shown. */
  readonly shape?: Shape;
  /** Objects go by themselves once they are so old, counted from their last write. */
  readonly ttlMs?: number;
  readonly companions?: Companions;
  /**
   * What is wrong with an object in the place it lies in, told before what is wrong with the object itself. Without
   * `previous` the object is new.
   */
  readonly checkSurroundings?: (
    call: EndpointCall,
    next: KubernetesObject,
    previous: KubernetesObject | undefined,
  ) => Promise<readonly FieldError[]>;
}

/** An object as it is kept: in the version of its `apiVersion`, written by the schema that `tag` names. */
export interface KeptObject {
  readonly object: KubernetesObject;
  readonly tag: string;
}

export interface ReadOptions {
  /** Who is asked how objects look is asked now, whatever was said before. */
  readonly isFresh?: boolean;
  /**
   * The objects are on their way into the store: they carry the version of what is stored, and differ from it. Nothing
   * that was said of the stored ones holds for them, and what is said of them is not remembered.
   */
  readonly isUnwritten?: boolean;
}

export interface Shape {
  /** The apiVersion that objects are written in from now on. */
  readonly storedAs: string;
  /** Somebody outside the server is asked how objects look, and may not know. */
  readonly mayFail: boolean;
  /** What is kept so is what is shown, but for its apiVersion: nobody has to look inside. */
  isShownAsKept(apiVersion: string, tag: string): boolean;
  /**
   * Objects as this version has them, in the order given; those given may be changed. Rejects when one of them was
   * written in a version that is no more, or cannot be converted.
   */
  show(kept: readonly KeptObject[], options?: ReadOptions): Promise<KubernetesObject[]>;
  /** An object as it is written; the one given stays as it is. Rejects when it cannot be converted. */
  keep(object: KubernetesObject): Promise<KeptObject>;
}

/** Records that come, change and go with an object, in the same transaction: the addresses of a service. */
export interface Companions {
  /**
   * Fills into `next`, in place, what the server chooses, and gives the writes that claim it and release what
   * `previous` had. Without `previous` the object is new, without `next` it goes. Asked again when the write meets
   * a conflict. Throws when the author asks for what cannot be had.
   */
  settle(
    foundation: Foundation,
    next: KubernetesObject | undefined,
    previous: KubernetesObject | undefined,
    options: { readonly isDryRun: boolean },
  ): Promise<readonly Operation[]>;
}

export interface Facade {
  /** Whose objects are stored, by whose rules. */
  readonly of: ServedResource;
  show(object: KubernetesObject): KubernetesObject;
  /** What a patch starts from, where that says more than what is shown: what nobody has set yet. Changes it in place. */
  markUnset?(shown: KubernetesObject, object: KubernetesObject): void;
  /** The object with what was changed in its front. Throws when that is not valid. */
  fold(shown: KubernetesObject, object: KubernetesObject): KubernetesObject;
  /** Returns what is stored of the folded object, where the object's schema does not know all of it. */
  prune?(object: KubernetesObject): KubernetesObject;
  /** Where the object has what its front shows as replicas: who owns one owns the other. */
  readonly replicasPaths: ReplicasPaths;
}

export interface ServedSubresource {
  readonly name: string;
  readonly verbs: ReadonlySet<Verb>;
  /** Serves these verbs itself. Without it, the subresource shows the object and changes a part of it. */
  readonly endpoints?: Endpoints;
}

/** What these objects are called, in errors about finding and storing them. */
export function groupResourceOf({ type }: ServedResource): GroupResource {
  return { group: type.group, resource: type.plural };
}

/** What kind these objects are, in errors about what is in them: events of either group are events of the core. */
export function groupKindOf({ type, storage }: ServedResource): GroupKind {
  return { group: storage.group, kind: type.kind };
}

/** The value as an object of the resource's kind: apiVersion and kind set, metadata present. */
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

/** A built-in object as another version of its resource has it. Half an object is made whole by reading it, as conversions expect it. */
export function convertBetween(from: ServedResource, to: ServedResource, object: JsonObject): JsonObject {
  const read = asObject(from.reader.read(deepCopy(object)).value, from);
  const stored = from.conversion?.toStorage(read) ?? read;
  const { kind, apiVersion } = to.type;
  return asJson({ ...(to.conversion?.fromStorage(stored) ?? stored), kind, apiVersion });
}
