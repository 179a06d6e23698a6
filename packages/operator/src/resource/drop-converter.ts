import type { Client, WriteOptions } from '@pintle/client';
import { genericMergePatch } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';

/** Whether the server asks a webhook to convert objects of a definition that has none any more. */
export function hasLeftoverConverter(definition: CustomResourceDefinition, live: CustomResourceDefinition): boolean {
  const isConverting = live.spec.conversion?.strategy === 'Webhook' || live.spec.conversion?.webhook !== undefined;
  return isConverting && definition.spec.conversion?.strategy !== 'Webhook';
}

/**
 * Takes the conversion webhook out of a definition on the server that has none any more, and returns the definition as it
 * is there then. The operator that converted owns fields of the webhook, which applying the definition would leave: a
 * server refuses a webhook without its strategy.
 *
 * The versions change in the same write. A server that refuses them, because objects are stored in one that is missing,
 * goes on converting.
 */
export async function dropConverter<Live extends CustomResourceDefinition | undefined>(
  client: Client,
  definition: CustomResourceDefinition,
  live: Live,
  options: WriteOptions,
): Promise<Live | CustomResourceDefinition> {
  if (live === undefined || !hasLeftoverConverter(definition, live)) return live;
  const { versions } = definition.spec;
  const body = { spec: { versions, conversion: { strategy: 'None', webhook: null } } };
  const ref = { name: definition.metadata.name ?? '' };
  return await client.patch(CustomResourceDefinition, ref, genericMergePatch<CustomResourceDefinition>(body), options);
}
