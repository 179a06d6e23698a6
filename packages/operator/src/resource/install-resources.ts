import type { CallOptions, Client } from '@pintle/client';
import { ClientError, waitFor } from '@pintle/client';
import type { WebhookClientConfig } from '@pintle/kinds/apiextensions/v1';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { DefinedResource } from './define-resource.ts';
import { ResourceError } from './errors.ts';

export interface InstallOptions extends CallOptions {
  /** Owns what is installed. Default: `pintle-operator`. */
  readonly fieldManager?: string;
  /**
   * Who converts between versions, where there is code for it. Without it the definition's conversion is left to
   * whoever runs the webhooks: they say where they are.
   */
  readonly conversionClient?: WebhookClientConfig;
  /** How long a definition may take to be served. Default: 30 s. */
  readonly timeoutMs?: number;
}

/**
 * Tells the server about resources, or about their newest form, and waits until they can be used. Rejects with a
 * `ResourceError` when the server does not serve one, and says why.
 */
export async function installResources(
  client: Client,
  resources: readonly Pick<DefinedResource, 'definition' | 'conversion'>[],
  { fieldManager = 'pintle-operator', conversionClient, ...wait }: InstallOptions = {},
): Promise<void> {
  const names = new Set<string>();
  const definitions = resources.filter(({ definition: { metadata } }) => {
    const name = metadata.name ?? '';
    return !names.has(name) && names.add(name);
  });
  const { signal } = wait;
  await Promise.all(
    definitions.map(async (resource) => {
      const definition = installed(resource, conversionClient);
      await client.apply(CustomResourceDefinition, definition, {
        fieldManager,
        force: true,
        ...(signal && { signal }),
      });
      await untilEstablished(client, definition.metadata.name, wait);
    }),
  );
}

type Applied = Omit<CustomResourceDefinition, 'metadata'> & { readonly metadata: { readonly name: string } };

function installed(
  { definition, conversion }: Pick<DefinedResource, 'definition' | 'conversion'>,
  clientConfig: WebhookClientConfig | undefined,
): Applied {
  const { conversion: _placeholder, ...spec } = definition.spec;
  const metadata = { ...definition.metadata, name: definition.metadata.name ?? '' };
  if (conversion === undefined || clientConfig === undefined) return { ...definition, metadata, spec };
  const webhook = { conversionReviewVersions: ['v1'], clientConfig };
  return { ...definition, metadata, spec: { ...spec, conversion: { strategy: 'Webhook', webhook } } };
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
