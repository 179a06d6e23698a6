import type { Companions, Foundation } from '@pintle/apiserver/resource';
import type { Service } from '@pintle/kinds/core/v1';
import type { Operation } from '@pintle/store';
import { settleAddresses } from './service-addresses.ts';
import { settleNodePorts } from './service-node-ports.ts';

/** How to take back what an earlier attempt at the same write has filled in. */
const undo = new WeakMap<object, () => void>();

/**
 * The addresses and node ports of services. An address is kept as an IPAddress, a node port as a record of its own, and
 * both are claimed and released by the very transaction that writes the service: none is ever held by two services or
 * left behind by one.
 */
export const serviceCompanions: Companions = {
  async settle(foundation, next, previous, options) {
    if (next !== undefined) forgetChoices(next);
    return await settleService(foundation, next as Service | undefined, previous as Service | undefined, options);
  },
};

async function settleService(
  foundation: Foundation,
  next: Service | undefined,
  previous: Service | undefined,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<readonly Operation[]> {
  const before = next && rememberSpec(next);
  const addresses = await settleAddresses(foundation, next, previous, isDryRun);
  const ports = await settleNodePorts(foundation, next, previous, isDryRun);
  if (next !== undefined && before !== undefined) undo.set(next, before);
  return isDryRun ? [] : [...addresses, ...ports];
}

function forgetChoices(service: object): void {
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
