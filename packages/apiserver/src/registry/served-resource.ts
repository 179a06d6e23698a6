import type { GroupKind, GroupResource, KubernetesObject, ResourceType } from '@pintle/machinery';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Operation } from '@pintle/store';
import type { Verb } from '../request/request-info.ts';
import type { Foundation } from './endpoint.ts';

/** Turns what a client sent into an object of the kind, as the kind's schema has it. */
export interface ObjectReader {
  /**
   * Keeps what the schema knows, in canonical form, and tells the paths of what it does not know. Throws an Error whose
   * message says what cannot be read.
   */
  read(value: JsonValue): { readonly value: JsonObject; readonly unknown: readonly string[] };
}

/** One version of one resource as the server offers it. Versions of a resource share their objects in the store. */
export interface ServedResource {
  readonly type: ResourceType;
  /** Where the objects are kept, which for most kinds is the resource's own group and name. */
  readonly storage: GroupResource;
  readonly verbs: ReadonlySet<Verb>;
  readonly rules: ResourceRules;
  readonly reader: ObjectReader;
  /** The items of a list say their own apiVersion and kind. True for custom resources. */
  readonly itemsAreTyped: boolean;
  readonly isCustom: boolean;
  /** The name of the protobuf message, when clients may speak protobuf. */
  readonly protobufMessage?: string;
  /** Media types of the patches this resource takes. */
  readonly patchTypes: readonly string[];
  readonly subresources: ReadonlyMap<string, ServedSubresource>;
  /** Changes an object from the version it is stored in to this one, and back. Absent when they are the same. */
  readonly conversion?: {
    fromStorage(object: KubernetesObject): KubernetesObject;
    toStorage(object: KubernetesObject): KubernetesObject;
  };
  /** Objects go by themselves once they are so old, counted from their last write. */
  readonly ttlMs?: number;
  readonly companions?: Companions;
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
  ): Promise<readonly Operation[]>;
}

export interface ServedSubresource {
  readonly name: string;
  readonly verbs: ReadonlySet<Verb>;
}

export function groupResourceOf(resource: ServedResource): GroupResource {
  return { group: resource.type.group, resource: resource.type.plural };
}

export function groupKindOf(resource: ServedResource): GroupKind {
  return { group: resource.type.group, kind: resource.type.kind };
}
