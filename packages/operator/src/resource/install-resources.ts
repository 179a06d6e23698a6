import type { ApplyOptions, CallOptions, Client } from '@pintle/client';
import { ClientError, waitFor } from '@pintle/client';
import type { WebhookClientConfig } from '@pintle/kinds/apiextensions/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { isConflict } from '@pintle/machinery/errors';
import type { DefinedResource } from './define-resource.ts';
import type { ResourceDescriptions } from './descriptions.ts';
import { descriptionsOf, withDescriptions } from './descriptions.ts';
import { ResourceError } from './errors.ts';
import { removeConversionWebhook } from './remove-conversion-webhook.ts';

export interface InstallOptions extends CallOptions {
  /** Field manager. Default: `pintle-operator`. */
  readonly fieldManager?: string;
  /**
   * Conversion webhook, for resources with conversion functions. Default: the webhooks of the operator, which register
   * themselves when they run; until then, only the storage version can be used.
   */
  readonly conversionClient?: WebhookClientConfig;
  /**
   * Descriptions of fields that have none in the definitions, such as comments of the sources. Default: those on the
   * server, from an earlier installation.
   */
  readonly descriptions?: readonly ResourceDescriptions[];
  /** Time that the server has to serve a definition. Default: 30 s. */
  readonly timeoutMs?: number;
}

interface DefinitionOptions {
  readonly conversionClient: InstallOptions['conversionClient'] | undefined;
  readonly descriptions: InstallOptions['descriptions'] | undefined;
}

/**
 * Installs or updates the definitions of resources, and waits until they are served. Rejects with a `ResourceError`, with the
 * reason, when the server does not serve one.
 */
export async function installResources(
  client: Client,
  resources: readonly Pick<DefinedResource, 'definition' | 'conversion'>[],
  { fieldManager = 'pintle-operator', conversionClient, descriptions, ...wait }: InstallOptions = {},
): Promise<void> {
  const names = new Set<string>();
  const definitions = resources.filter(({ definition: { metadata } }) => {
    const name = metadata.name ?? '';
    return !names.has(name) && names.add(name);
  });
  const { signal } = wait;
  const options = { fieldManager, force: true, ...(signal && { signal }) };
  await Promise.all(
    definitions.map(async (resource) => {
      await untilApplied(() => applyDefinition(client, resource, { conversionClient, descriptions }, options));
      await untilEstablished(client, resource.definition.metadata.name ?? '', wait);
    }),
  );
}

const TRIES = 10;

/** Retries after conflicts with other writers, above all the server itself. */
async function untilApplied(apply: () => Promise<void>): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      return await apply();
    } catch (error) {
      if (!isConflict(error) || left === 0) throw error;
    }
  }
}

/**
 * Keeps a registered conversion webhook as long as the definition has conversions. Before the registration, requests for another
 * version fail because of the placeholder: without it, Kubernetes would only change the apiVersion, and drop fields that the
 * other version does not have.
 */
async function applyDefinition(
  client: Client,
  { definition, conversion }: Pick<DefinedResource, 'definition' | 'conversion'>,
  { conversionClient: clientConfig, descriptions }: DefinitionOptions,
  options: ApplyOptions,
): Promise<void> {
  const name = definition.metadata.name ?? '';
  const found = await client.find(CustomResourceDefinition, { name }, options.signal && { signal: options.signal });
  const described = withDescriptions(definition, descriptions ?? (found === undefined ? [] : [descriptionsOf(found)]));
  const { fieldManager, signal } = options;
  const live = await removeConversionWebhook(client, described, found, { fieldManager, ...(signal && { signal }) });
  const { conversion: placeholder, ...spec } = described.spec;
  const { resourceVersion } = live?.metadata ?? {};
  const known = live?.spec.conversion?.strategy === 'Webhook' ? live.spec.conversion : undefined;
  const given = clientConfig && { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
  const converting = conversion === undefined ? known : (given ?? known ?? placeholder);
  const applied = {
    ...definition,
    metadata: { ...definition.metadata, name, ...(resourceVersion !== undefined && { resourceVersion }) },
    spec: { ...spec, ...(converting && { conversion: converting }) },
  };
  await client.apply(CustomResourceDefinition, applied, options);
}

/** Rejects at once when the server refuses the names, which would otherwise last until the timeout. */
async function untilEstablished(client: Client, name: string, options: CallOptions): Promise<void> {
  let last: CustomResourceDefinition | undefined;
  const { timeoutMs = 30_000, signal } = options;
  try {
    await waitFor(
      client,
      CustomResourceDefinition,
      { name },
      (definition) => {
        last = definition ?? last;
        const refused = conditionOf(definition, 'NamesAccepted');
        if (refused?.status === 'False') throw notEstablished(name, refused.message ?? refused.reason ?? '');
        return conditionOf(definition, 'Established')?.status === 'True';
      },
      { timeoutMs, ...(signal && { signal }) },
    );
  } catch (error) {
    if (!(error instanceof ClientError) || error.failure.code !== 'TimedOut') throw error;
    const { message } = conditionOf(last, 'Established') ?? {};
    throw notEstablished(name, message ?? `not served after ${timeoutMs} ms`, error);
  }
}

function conditionOf(definition: CustomResourceDefinition | undefined, type: string) {
  return definition?.status?.conditions?.find((condition) => condition.type === type);
}

function notEstablished(resource: string, reason: string, cause?: unknown): ResourceError {
  return new ResourceError({ code: 'NotEstablished', resource, reason }, { cause });
}
