import type { Client, WriteOptions } from '@pintle/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { isNotFound } from '@pintle/machinery/errors';
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
  for (const { definition } of webhooks.converted) {
    const name = definition.metadata.name ?? '';
    const isKnown = await tellConverter(client, name, address, { fieldManager: options.fieldManager, signal });
    if (!isKnown) missing.push(name);
  }
  return { missing };
}

/** Whoever installed the definition named nobody, or another: one of service and URL must go. */
async function tellConverter(
  client: Client,
  name: string,
  address: WebhookAddress,
  options: WriteOptions,
): Promise<boolean> {
  const clientConfig = { service: null, url: null, ...clientConfigOf(address, CONVERT_PATH) };
  const webhook = { conversionReviewVersions: ['v1'], clientConfig };
  const body = { spec: { conversion: { strategy: 'Webhook', webhook } } };
  try {
    await client.patch(CustomResourceDefinition, { name }, { type: 'merge', body }, options);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
