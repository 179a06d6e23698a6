import type { GroupVersionKind, Scope } from '@pintle/machinery';
import { groups } from './generated/groups.ts';

/** The discovery entry of one resource or subresource. */
export interface BuiltinEndpoint {
  /** As discovery prints it: an empty group and version mean those under which the resource is listed. */
  readonly responseKind: GroupVersionKind;
  readonly verbs: readonly string[];
  readonly acceptedTypes: readonly GroupVersionKind[];
}

export interface BuiltinSubresource extends BuiltinEndpoint {
  readonly subresource: string;
}

export interface BuiltinResource extends BuiltinEndpoint {
  /** The plural name, as in URLs. */
  readonly resource: string;
  readonly singular: string;
  readonly scope: Scope;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly BuiltinSubresource[];
}

export interface BuiltinVersion {
  readonly version: string;
  readonly resources: readonly BuiltinResource[];
}

export interface BuiltinGroup {
  /** Empty for the core group. */
  readonly group: string;
  readonly versions: readonly BuiltinVersion[];
}

/** All built-in groups, the core group first; groups, versions and resources are in discovery's order. */
export const builtinGroups: readonly BuiltinGroup[] = groups;

/** Returns the GVK of the responses of an endpoint of `group` and `version`. */
export function responseKindOf(
  { group, version }: { readonly group: string; readonly version: string },
  { responseKind }: BuiltinEndpoint,
): GroupVersionKind {
  return responseKind.version === '' ? { group, version, kind: responseKind.kind } : responseKind;
}
