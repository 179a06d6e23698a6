import { schemaOf } from '@pintle/kinds/schemas';
import type { ResourceType } from '@pintle/machinery';
import { gvkOf, parseGroupVersion } from '@pintle/machinery';
import { isOldVersion } from './old-versions.ts';
import { notRegistered, SCHEMES } from './schemes.ts';

export interface OtherType {
  readonly problem: string;
  /** True for another known kind, false for an unknown kind. */
  readonly isKnown: boolean;
}

/** Returns why an object of this apiVersion and kind does not belong to the resource; `undefined` when it does. */
export function otherType(
  { type }: { readonly type: ResourceType },
  apiVersion: string,
  kind: string,
): OtherType | undefined {
  if (apiVersion === type.apiVersion && kind === type.kind) return undefined;
  const gvk = gvkOf({ apiVersion, kind });
  if (gvk === undefined) return { problem: `unexpected GroupVersion string: ${apiVersion}`, isKnown: false };
  const ownScheme = SCHEMES.ofGroup[type.group];
  const isKnown = schemaOf(gvk) !== undefined || isOldVersion(apiVersion, kind);
  if (kind !== 'List' && (!isKnown || (ownScheme !== undefined && gvk.group !== type.group))) {
    return { problem: notRegistered(kind, apiVersion, ownScheme ?? SCHEMES.builtin), isKnown: false };
  }
  const group = parseGroupVersion(type.apiVersion)?.group ?? '';
  const internalGroup = group === '' ? 'core' : group.split('.')[0];
  const problem = `converting (${gvk.version}.${kind}) to (${internalGroup}.${type.kind}): unknown conversion`;
  return { problem, isKnown: true };
}
