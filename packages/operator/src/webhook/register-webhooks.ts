import type { Client } from '@pintle/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { WebhookAddress } from './address.ts';
import { clientConfigOf } from './address.ts';
import type { Webhooks } from './webhooks.ts';
import { CONVERT_PATH } from './webhooks.ts';

export interface Registered {
  /** Definitions that are not there yet. */
  readonly missing: readonly string[];
}

/**
 * Tells the API server where the webhooks are and whom to trust: its own configurations, and the conversion of the
 * definitions whose objects are converted here. What others wrote into them stays.
 */
export async function registerWebhooks(
  client: Client,
  webhooks: Webhooks,
  address: WebhookAddress,
  { signal }: { readonly signal: AbortSignal },
): Promise<Registered> {
  const options = { fieldManager: `${webhooks.name}-webhooks`, force: true, signal };
  const { mutating, validating } = webhooks.configurations(address);
  const ref = { name: webhooks.name };
  for (const [type, configuration] of [
    [MutatingWebhookConfiguration, mutating],
    [ValidatingWebhookConfiguration, validating],
  ] as const) {
    // Without webhooks there is only something to tell when there were some: a webhook that is gone must not be asked.
    const isNeeded = configuration.webhooks?.length || (await client.find(type, ref, { signal }));
    if (isNeeded) await client.apply(type, { ...configuration, metadata: ref }, options);
  }
  const missing: string[] = [];
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: clientConfigOf(address, CONVERT_PATH) };
  for (const { definition } of webhooks.converted) {
    const name = definition.metadata.name ?? '';
    if ((await client.find(CustomResourceDefinition, { name }, { signal })) === undefined) missing.push(name);
    else {
      const spec = { conversion: { strategy: 'Webhook', webhook } };
      await client.apply(CustomResourceDefinition, { metadata: { name }, spec }, options);
    }
  }
  return { missing };
}
