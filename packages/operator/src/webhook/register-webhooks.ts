import type { Client, WriteOptions } from '@pintle/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { isNotFound } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import { asJson } from '@pintle/machinery/json';
import type { WebhookAddress } from './address.ts';
import { clientConfigOf } from './address.ts';
import { giveBack, type Place, writeForNow } from './temporary-registration.ts';
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

/**
 * The same for as long as this process runs: what was there before is written down beside it, and `forgetWebhooks`
 * gives it back.
 */
export async function registerForNow(
  client: Client,
  webhooks: Webhooks,
  address: WebhookAddress & { readonly url: string },
  { signal }: { readonly signal: AbortSignal },
): Promise<Registered> {
  const { url } = address;
  const options = { client, url, signal, fieldManager: fieldManagerOf(webhooks) };
  const { mutating, validating } = webhooks.configurations(address);
  for (const [type, { webhooks: hooks = [] }] of [
    [MutatingWebhookConfiguration, mutating],
    [ValidatingWebhookConfiguration, validating],
  ] as const) {
    const place = { type, ref: { name: webhooks.name }, path: ['webhooks'] } as const;
    const isNeeded = hooks.length > 0 || (await client.find(type, place.ref, { signal }));
    if (isNeeded) await writeForNow(place, asJson(hooks) as JsonValue, { ...options, isMade: hooks.length > 0 });
  }
  const missing: string[] = [];
  for (const place of definitionsOf(webhooks)) {
    const conversion = asJson(conversionBy(address)) as JsonValue;
    const isKnown = await writeForNow(place, conversion, { ...options, isMade: false });
    if (!isKnown) missing.push(place.ref.name);
  }
  return { missing };
}

/** Gives back what `registerForNow` of the process at `url` replaced, or of whichever process it was. */
export async function forgetWebhooks(
  client: Client,
  webhooks: Webhooks,
  options: { readonly url?: string; readonly isKept?: boolean; readonly signal?: AbortSignal },
): Promise<void> {
  const given = { ...options, client, fieldManager: fieldManagerOf(webhooks) };
  const ref = { name: webhooks.name };
  await giveBack({ type: MutatingWebhookConfiguration, ref, path: ['webhooks'] }, given);
  await giveBack({ type: ValidatingWebhookConfiguration, ref, path: ['webhooks'] }, given);
  for (const place of definitionsOf(webhooks)) await giveBack(place, given);
}

/** Not that of lasting registrations: what it owns is gone with it. */
function fieldManagerOf({ name }: Webhooks): string {
  return `${name}-webhooks-for-now`;
}

function definitionsOf({ converted }: Webhooks): Place<CustomResourceDefinition>[] {
  return converted.map(({ definition: { metadata } }) => ({
    type: CustomResourceDefinition,
    ref: { name: metadata.name ?? '' },
    path: ['spec', 'conversion'],
  }));
}

function conversionBy(address: WebhookAddress): object {
  const clientConfig = clientConfigOf(address, CONVERT_PATH);
  return { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
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
