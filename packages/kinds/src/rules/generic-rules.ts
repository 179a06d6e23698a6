import type { KubernetesObject } from '@pintle/machinery';
import type { ResourceRules } from '@pintle/machinery/rules';
import { keepAllButStatus, keepStatus } from './common/keep-status.ts';
import { nameAndCreation } from './common/printers.ts';

export { keepAllButStatus, keepStatus } from './common/keep-status.ts';

type WithStatus = KubernetesObject & { spec?: unknown; status?: unknown };

/**
 * Rules of kinds that have none of their own: with a status subresource, an update of the object keeps the status and
 * an update of the status keeps the rest.
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
