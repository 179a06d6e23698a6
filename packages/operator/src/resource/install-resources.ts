import type { ApplyOptions, CallOptions, Client } from '@pintle/client';
import { ClientError, waitFor } from '@pintle/client';
import type { WebhookClientConfig } from '@pintle/kinds/apiextensions/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { isConflict } from '@pintle/machinery/errors';
import type { DefinedResource } from './define-resource.ts';
import type { ResourceDescriptions } from './descriptions.ts';
import { descriptionsOf, withDescriptions } from './descriptions.ts';
import { dropConverter } from './drop-converter.ts';
import { ResourceError } from './errors.ts';

export interface InstallOptions extends CallOptions {
  /** Owns what is installed. Default: `pintle-operator`. */
  readonly fieldManager?: string;
  /**
   * Who converts between versions, where there is code for it. Default: the webhooks of the operator, which say where
   * they are once they run; until then, only the stored version can be used.
   */
  readonly conversionClient?: WebhookClientConfig;
  /**
   * Descriptions of fields that the definitions do not describe, as in comments of the sources. Default: what the server
   * has, which whoever installed the definitions before brought there.
   */
  readonly descriptions?: readonly ResourceDescriptions[];
  /** How long a definition may take to be served. Default: 30 s. */
  readonly timeoutMs?: number;
}

interface DefinitionOptions {
  readonly conversionClient: InstallOptions['conversionClient'] | undefined;
  readonly descriptions: InstallOptions['descriptions'] | undefined;
}

/**
 * Tells the server about resources, or about their newest form, and waits until they can be used. Rejects with a
 * `ResourceError` when the server does not serve one, and says why.
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

/** Others write to definitions too, the server above all: when one was faster, looks again at what it wrote. */
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
 * Who converts is known to the webhooks, which say so in the definition: what they said stays as long as the definition
 * has conversions. Until they have, asking for another version fails, for there is nobody behind the placeholder.
 * Kubernetes would convert by changing the name of the version, and drop the fields that the other does not know.
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
  const live = await dropConverter(client, described, found, { fieldManager, ...(signal && { signal }) });
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

/** A definition that is refused a name says so and goes on waiting for it; there is no point in waiting along. */
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
    throw notEstablished(name, message ?? `it is not served after ${timeoutMs} ms`, error);
  }
}

function conditionOf(definition: CustomResourceDefinition | undefined, type: string) {
  return definition?.status?.conditions?.find((condition) => condition.type === type);
}

function notEstablished(resource: string, reason: string, cause?: unknown): ResourceError {
  return new ResourceError({ code: 'NotEstablished', resource, reason }, { cause });
}
