import { Namespace, ServiceAccount } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists } from '@pintle/machinery/errors';
import type { Controller, Manager } from '@pintle/operator';

/** Creates the service account `default` in every namespace. */
export function addServiceAccountController(manager: Manager): Controller {
  return manager
    .controller(Namespace, 'serviceaccount')
    .watches(ServiceAccount, ({ metadata }) => [{ name: metadata.namespace ?? '' }])
    .reconcile(async ({ metadata, status }, { client }) => {
      const namespace = metadata.name ?? '';
      if (status?.phase === 'Terminating' || metadata.deletionTimestamp) return;
      if (await client.find(ServiceAccount, { namespace, name: 'default' })) return;
      await client
        .create(ServiceAccount, { metadata: { namespace, name: 'default' } })
        .catch(ignoring(isAlreadyExists));
    });
}
