import type { Allocator, EndpointDependencies } from '@pintle/apiserver/resource';
import type { Service } from '@pintle/kinds/core/v1';
import type { Operation } from '@pintle/store';
import { allocateAddresses } from './service-addresses.ts';
import { allocateNodePorts } from './service-node-ports.ts';

/** Reverts what an earlier attempt of the same write filled in. */
const undo = new WeakMap<object, () => void>();

/**
 * Allocates addresses and node ports of services. An address is stored as an IPAddress, a node port as its own record.
 * Both are claimed and released in the transaction that writes the service, so that none is ever held twice or leaked.
 */
export const serviceAllocator: Allocator = {
  async allocate(dependencies, next, previous, options) {
    if (next !== undefined) revertChoices(next);
    return await allocateForService(
      dependencies,
      next as Service | undefined,
      previous as Service | undefined,
      options,
    );
  },
};

async function allocateForService(
  dependencies: EndpointDependencies,
  next: Service | undefined,
  previous: Service | undefined,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<readonly Operation[]> {
  const before = next && rememberSpec(next);
  const addresses = await allocateAddresses(dependencies, next, previous, isDryRun);
  const ports = await allocateNodePorts(dependencies, next, previous, isDryRun);
  if (next !== undefined && before !== undefined) undo.set(next, before);
  return isDryRun ? [] : [...addresses, ...ports];
}

function revertChoices(service: object): void {
  undo.get(service)?.();
  undo.delete(service);
}

function rememberSpec(service: Service): () => void {
  const { spec } = service;
  if (spec === undefined) return () => undefined;
  const copy = { ...spec, ...(spec.ports && { ports: spec.ports.map((port) => ({ ...port })) }) };
  return () => {
    service.spec = copy;
  };
}
