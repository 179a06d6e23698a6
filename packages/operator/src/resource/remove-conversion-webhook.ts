import type { Client, WriteOptions } from '@pintle/client';
import { genericMergePatch } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';

/** True when the definition on the server has a conversion webhook, and the definition in the code does not. */
export function hasStaleConversionWebhook(
  definition: CustomResourceDefinition,
  live: CustomResourceDefinition,
): boolean {
  const isConverting = live.spec.conversion?.strategy === 'Webhook' || live.spec.conversion?.webhook !== undefined;
  return isConverting && definition.spec.conversion?.strategy !== 'Webhook';
}

/**
 * Removes a stale conversion webhook from a definition on the server, and resolves with the definition. An apply would leave
 * fields of the webhook, which another field manager owns, and a server refuses a webhook without its strategy.
 *
 * Writes the versions in the same request: when the server refuses them, because objects are stored in a missing version, the
 * conversion stays.
 */
export async function removeConversionWebhook<Live extends CustomResourceDefinition | undefined>(
  client: Client,
  definition: CustomResourceDefinition,
  live: Live,
  options: WriteOptions,
): Promise<Live | CustomResourceDefinition> {
  if (live === undefined || !hasStaleConversionWebhook(definition, live)) return live;
  const { versions } = definition.spec;
  const body = { spec: { versions, conversion: { strategy: 'None', webhook: null } } };
  const ref = { name: definition.metadata.name ?? '' };
  return await client.patch(CustomResourceDefinition, ref, genericMergePatch<CustomResourceDefinition>(body), options);
}
