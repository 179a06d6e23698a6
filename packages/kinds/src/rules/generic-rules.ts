import type { KubernetesObject } from '@pintle/machinery';
import type { ResourceRules } from '@pintle/machinery/rules';

type WithStatus = KubernetesObject & { spec?: unknown; status?: unknown };

/**
 * Rules of kinds that have none of their own: with a status subresource, an update of the object keeps the status and
 * an update of the status keeps the rest.
 */
export function genericRules({ hasStatus }: { readonly hasStatus: boolean }): ResourceRules {
  if (!hasStatus) return {};
  const rules: ResourceRules<WithStatus> = {
    tracksGeneration: true,
    prepareForCreate: (object) => {
      delete object.status;
    },
    prepareForUpdate: keepStatus,
    subresources: { status: { prepareForUpdate: keepAllButStatus } },
  };
  return rules as ResourceRules;
}

/** An update of the object may not touch its status. */
export function keepStatus(next: WithStatus, previous: WithStatus): void {
  if (previous.status === undefined) delete next.status;
  else next.status = previous.status;
}

/** An update of the status may touch the status, and metadata that no rule of the kind protects. */
export function keepAllButStatus(next: WithStatus, previous: WithStatus): void {
  if (previous.spec === undefined) delete next.spec;
  else next.spec = previous.spec;
}
