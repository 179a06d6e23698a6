import { ConfigMap, Namespace } from '@pintle/kinds/core/v1';
import { ignoring, isAlreadyExists } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { Controller, Manager } from '@pintle/operator';
import { identityMetadata } from '../common/identity-metadata.ts';

const NAME = 'kube-root-ca.crt';
const DESCRIPTION = 'kubernetes.io/description';
/** Other ConfigMaps, which may be many and large, are not held. */
const PUBLISHED = {
  fieldSelector: `metadata.name=${NAME}`,
  isMetadataOnly: true,
  transform: identityMetadata<ConfigMap>,
} as const;
const ANNOTATIONS = {
  [DESCRIPTION]:
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

/** Publishes the CA certificate of the API server as a ConfigMap in every namespace. */
export function addRootCaPublisher(manager: Manager, { rootCa }: { readonly rootCa: string }): Controller {
  const data = { 'ca.crt': rootCa };
  return manager
    .controller(Namespace, 'root-ca-certificate-publisher')
    .watches(ConfigMap, ({ metadata: { namespace = '' } }) => [{ name: namespace }], { select: PUBLISHED })
    .reconcile(async ({ metadata, status }, { client }) => {
      const namespace = metadata.name ?? '';
      if (status?.phase === 'Terminating' || metadata.deletionTimestamp) return;
      const found = await client.live.find(ConfigMap, { namespace, name: NAME });
      if (found === undefined) {
        await client
          .create(ConfigMap, { metadata: { namespace, name: NAME, annotations: ANNOTATIONS }, data })
          .catch(ignoring(isAlreadyExists));
      } else if (!deepEqual(found.data, data) || !found.metadata.annotations?.[DESCRIPTION]) {
        const annotations = { ...found.metadata.annotations, ...ANNOTATIONS };
        await client.update(ConfigMap, { ...found, metadata: { ...found.metadata, annotations }, data });
      }
    });
}
