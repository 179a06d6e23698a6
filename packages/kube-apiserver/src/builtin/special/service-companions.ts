import type { Companions, Foundation } from '@pintle/apiserver/resource';
import type { Service } from '@pintle/kinds/core/v1';
import type { Operation } from '@pintle/store';
import { settleAddresses } from './service-addresses.ts';
import { settleNodePorts } from './service-node-ports.ts';

/** Reverts what an earlier attempt of the same write filled in. */
const undo = new WeakMap<object, () => void>();

/**
 * Allocates addresses and node ports of services. An address is stored as an IPAddress, a node port as its own record.
 * Both are claimed and released in the transaction that writes the service, so that none is ever held twice or leaked.
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
