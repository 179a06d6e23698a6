import type { KubernetesObject } from '@pintle/machinery';
import { canonicalJson } from '@pintle/machinery/json';
import type { Warnings } from '../../request/warnings.ts';

const ADVICE =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests';

/** Leaves each owner of an object once and warns of the others. `isAdmitted`: admission may have added them. */
export function dedupOwners(
  { metadata }: KubernetesObject,
  warnings: Warnings,
  { isAdmitted = false }: { readonly isAdmitted?: boolean } = {},
): void {
  const { ownerReferences = [] } = metadata;
  if (ownerReferences.length < 2) return;
  const known = new Set<string>();
  const repeated: string[] = [];
  const owners = ownerReferences.filter((owner) => {
    const text = canonicalJson(owner);
    const isNew = !known.has(text);
    if (isNew) known.add(text);
    else repeated.push(owner.uid);
    return isNew;
  });
  if (repeated.length === 0) return;
  metadata.ownerReferences = owners;
  const where = `.metadata.ownerReferences contains duplicate entries${isAdmitted ? ' after mutating admission happens' : ''}`;
  warnings.add(`${where}; ${ADVICE}; duplicate UID(s) observed: ${repeated.join(', ')}`);
}
