import type { KubernetesObject } from '@pintle/machinery';

type WithStatus = KubernetesObject & { spec?: unknown; status?: unknown };

/** For kinds whose creator does not decide the status. */
export function dropStatus(object: WithStatus): void {
  delete object.status;
}

/** An update of the object may not touch its status. */
export function keepStatus(next: WithStatus, previous: WithStatus): void {
  keep(next, previous, 'status');
}

/** An update of the status may touch the status, and metadata that no rule of the kind protects. */
export function keepAllButStatus(next: WithStatus, previous: WithStatus): void {
  keep(next, previous, 'spec');
}

/** As `keepAllButStatus`, for kinds whose status update leaves labels and annotations alone too. */
export function keepAllButStatusAndMetadata(next: WithStatus, previous: WithStatus): void {
  keep(next, previous, 'spec');
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const)
    keep(next.metadata, previous.metadata, field);
}

/** Sets a field to what it was before, which may be nothing. */
export function keep<T extends object>(next: T, previous: T, field: keyof T): void {
  if (previous[field] === undefined) delete next[field];
  else next[field] = previous[field];
}
