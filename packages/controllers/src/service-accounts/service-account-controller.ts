import { Namespace, ServiceAccount } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists } from '@pintle/machinery/errors';
import type { Controller, Manager } from '@pintle/operator';
import { ACCOUNTS, knownAccounts } from './known-accounts.ts';

/** Creates the service account `default` in every namespace. */
export function addServiceAccountController(manager: Manager): Controller {
  return manager
    .controller(Namespace, 'serviceaccount')
    .watches(ServiceAccount, ({ metadata }) => [{ name: metadata.namespace ?? '' }], { select: ACCOUNTS })
    .reconcile(async ({ metadata, status }, { client }) => {
      const namespace = metadata.name ?? '';
      if (status?.phase === 'Terminating' || metadata.deletionTimestamp) return;
      if (knownAccounts(manager).get({ namespace, name: 'default' })) return;
      await client
        .create(ServiceAccount, { metadata: { namespace, name: 'default' } })
        .catch(ignoring(isAlreadyExists));
    });
}
