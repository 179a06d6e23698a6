import { Secret } from '@pintle/kinds/core/v1';
import type { Manager } from '@pintle/operator';
import { Controller } from '@pintle/operator';
import { identityMetadata } from '../common/identity-metadata.ts';

const TYPE = 'bootstrap.kubernetes.io/token';
const NAMESPACE = 'kube-system';
const TOKENS = {
  namespace: NAMESPACE,
  fieldSelector: `type=${TYPE}`,
  isMetadataOnly: true,
  transform: identityMetadata<Secret>,
} as const;

/** Deletes expired bootstrap tokens. */
export function addBootstrapTokenCleaner(manager: Manager): Controller {
  const controller = new Controller(
    manager,
    { name: 'token-cleaner' },
    async ({ namespace, name }, { client, clock }) => {
      const secret = await client.live.find(Secret, { namespace, name });
      const expiration = Buffer.from(String(secret?.data?.expiration ?? ''), 'base64').toString();
      const atMs = Date.parse(expiration);
      if (secret === undefined || secret.type !== TYPE || Number.isNaN(atMs)) return undefined;
      const leftMs = atMs - clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      await client.delete(Secret, secret);
      return undefined;
    },
  );
  controller.watch(Secret, undefined, { select: TOKENS });
  manager.add(controller);
  return controller;
}
