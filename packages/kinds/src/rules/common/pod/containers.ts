import type { FieldPath } from '@pintle/machinery/errors';
import type { Container, EphemeralContainer, PodSpec } from '../../../generated/core/v1.ts';

export interface ContainerAt {
  readonly container: Container | EphemeralContainer;
  readonly path: FieldPath;
}

/** Returns all containers of a Pod with their paths: init containers, containers, ephemeral containers. */
export function containersWithPath(spec: PodSpec, path: FieldPath): ContainerAt[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ container, path: path.child(list).index(index) })),
  );
}

/** True for an init container that keeps running beside the others. */
export function isSidecar(container: { readonly restartPolicy?: string }): boolean {
  return container.restartPolicy === 'Always';
}
