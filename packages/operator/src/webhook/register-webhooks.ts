import type { Clock } from '@pintle/async';
import type { Client, WriteOptions } from '@pintle/client';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@pintle/kinds/admissionregistration/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { isNotFound } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import { asJson } from '@pintle/machinery/json';
import type { WebhookAddress } from './address.ts';
import { clientConfigOf } from './address.ts';
import { type RegistrationField, restore, writeTemporarily } from './temporary-registration.ts';
import type { Webhooks } from './webhooks.ts';
import { CONVERT_PATH } from './webhooks.ts';

export interface Registered {
  /** Names of definitions that do not exist yet. */
  readonly missing: readonly string[];
  /** URL of another process that runs, and is registered instead. */
  readonly waitsFor?: string;
}

/**
 * Registers the webhooks with their address and certificate authorities: writes the webhook configurations, and the conversion of
 * the definitions. Keeps the fields of other writers.
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
    // Without webhooks, a configuration is only written to remove earlier ones.
    const isNeeded = configuration.webhooks?.length || (await client.find(type, ref, { signal }));
    if (isNeeded) await client.apply(type, { ...configuration, metadata: ref }, options);
  }
  const missing: string[] = [];
  for (const { definition } of webhooks.converted) {
    const name = definition.metadata.name ?? '';
    const isRegistered = await registerConverter(client, name, address, { fieldManager: options.fieldManager, signal });
    if (!isRegistered) missing.push(name);
  }
  return { missing };
}

interface RegisterTemporarilyOptions {
  readonly clock: Clock;
  /** True writes only what does not name this process. Default: false. */
  readonly isRepair?: boolean;
  readonly signal: AbortSignal;
}

/**
 * Registers the webhooks for as long as this process runs: stores the previous values in annotations, from which
 * `restoreRegistrations` restores them. Leaves the registration of another process that runs.
 */
export async function registerTemporarily(
  client: Client,
  webhooks: Webhooks,
  address: WebhookAddress & { readonly url: string },
  { clock, isRepair = false, signal }: RegisterTemporarilyOptions,
): Promise<Registered> {
  const { url } = address;
  const options = { client, url, clock, isRepair, signal, fieldManager: fieldManagerOf(webhooks) };
  const { mutating, validating } = webhooks.configurations(address);
  let waitsFor: string | undefined;
  for (const [type, { webhooks: hooks = [] }] of [
    [MutatingWebhookConfiguration, mutating],
    [ValidatingWebhookConfiguration, validating],
  ] as const) {
    const field = { type, ref: { name: webhooks.name }, path: ['webhooks'] } as const;
    const createsMissing = hooks.length > 0;
    const written = await writeTemporarily(field, asJson(hooks) as JsonValue, { ...options, createsMissing });
    if (typeof written === 'object') waitsFor = written.url;
  }
  const missing: string[] = [];
  for (const field of definitionsOf(webhooks)) {
    const conversion = asJson(conversionBy(address)) as JsonValue;
    const written = await writeTemporarily(field, conversion, { ...options, createsMissing: false });
    if (typeof written === 'object') waitsFor = written.url;
    else if (written === 'missing') missing.push(field.ref.name);
  }
  return { missing, ...(waitsFor !== undefined && { waitsFor }) };
}

/** Restores what `registerTemporarily` replaced: by the process at `url`, or by any process that no longer runs. */
export async function restoreRegistrations(
  client: Client,
  webhooks: Webhooks,
  options: {
    readonly clock: Clock;
    readonly url?: string;
    readonly keepsCreated?: boolean;
    readonly signal?: AbortSignal;
  },
): Promise<void> {
  const restoreOptions = { ...options, client, fieldManager: fieldManagerOf(webhooks) };
  const ref = { name: webhooks.name };
  await restore({ type: MutatingWebhookConfiguration, ref, path: ['webhooks'] }, restoreOptions);
  await restore({ type: ValidatingWebhookConfiguration, ref, path: ['webhooks'] }, restoreOptions);
  for (const field of definitionsOf(webhooks)) await restore(field, restoreOptions);
}

/** Differs from that of permanent registrations: its fields are removed with it. */
function fieldManagerOf({ name }: Webhooks): string {
  return `${name}-webhooks-for-now`;
}

function definitionsOf({ converted }: Webhooks): RegistrationField<CustomResourceDefinition>[] {
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

/** Writes the conversion webhook. Removes the other one of service and URL, which an earlier registration may have set. */
async function registerConverter(
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
