import type { KubernetesObject } from '@pintle/machinery';
import type { ResourceRules } from '@pintle/machinery/rules';
import { keepAllButStatus, keepStatus } from './common/object-fields.ts';
import { nameAndCreation } from './common/printers.ts';

export { keepAllButStatus, keepStatus } from './common/object-fields.ts';

type WithStatus = KubernetesObject & { spec?: unknown; status?: unknown };

/**
 * Rules of kinds without specific ones: with a status subresource, an update of the object keeps the status and an
 * update of the status keeps the rest.
 */
export function genericRules({ hasStatus }: { readonly hasStatus: boolean }): ResourceRules {
  if (!hasStatus) return { printer: nameAndCreation };
  const rules: ResourceRules<WithStatus> = {
    tracksGeneration: true,
    prepareForCreate: (object) => {
      object.status = {};
    },
    prepareForUpdate: keepStatus,
    subresources: { status: { prepareForUpdate: keepAllButStatus } },
    printer: nameAndCreation,
  };
  return rules as ResourceRules;
}

/**
 * Loaders of the rules of each kind, by group, then kind; all versions of a kind share them. The core group is the
 * empty string. Lookups are by kind, so that rules only ever receive objects of their kind.
 */
export type RulesLoaders = Readonly<Record<string, Readonly<Record<string, () => Promise<ResourceRules<never>>>>>>;
