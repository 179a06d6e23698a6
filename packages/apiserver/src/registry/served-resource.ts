import type { GroupKind, GroupResource, KubernetesObject, ResourceType } from '@pintle/machinery';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Verb } from '../request/request-info.ts';

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
