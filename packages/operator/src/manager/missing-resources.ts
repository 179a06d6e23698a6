import type { Client } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { ResourceType } from '@pintle/machinery';
import { isForbidden, isNotFound } from '@pintle/machinery/errors';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';
import { isContained } from '../reconcile/is-contained.ts';
import type { DefinedResource } from '../resource/define-resource.ts';
import type { ResourceDescriptions } from '../resource/descriptions.ts';
import { withDescriptions, withoutDescriptions } from '../resource/descriptions.ts';
import { installResources } from '../resource/install-resources.ts';
import { hasStaleConversionWebhook } from '../resource/remove-conversion-webhook.ts';

interface MissingResourcesOptions {
  readonly client: Client;
  readonly fieldManager: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Installs the resources that the server does not serve at all, so that a program can be tried on an empty cluster. Leaves
 * those it serves, in any version, to the deployment. Goes on when installing is forbidden: an administrator may do it.
 */
export async function installMissing(
  resources: readonly DefinedResource[],
  { client, fieldManager, log, signal }: MissingResourcesOptions,
): Promise<void> {
  const served = await Promise.all(resources.map((resource) => isServed(client, resource, signal)));
  const missing = resources.filter((_resource, index) => !served[index]);
  if (missing.length === 0) return;
  const names = missing.map(nameOf);
  try {
    await installResources(client, missing, { fieldManager, signal });
    log.info('Installed missing resources', { resources: names });
  } catch (error) {
    if (!isForbidden(error)) throw error;
    log.warn('Cannot install missing resources', { resources: names, ...errorFields(error) });
  }
}

interface InstallChangedOptions extends MissingResourcesOptions {
  /** Descriptions of fields from outside the definitions. Default: those on the server. */
  readonly descriptions?: readonly ResourceDescriptions[] | undefined;
}

/**
 * Installs the definitions that differ on the server or are missing: for a server that belongs to the developer.
 */
export async function installChanged(
  resources: readonly DefinedResource[],
  { client, fieldManager, log, signal, descriptions }: InstallChangedOptions,
): Promise<void> {
  const described = (definition: CustomResourceDefinition) => withDescriptions(definition, descriptions ?? []);
  const changed = await differing(client, resources, { signal, read: described });
  if (changed.length === 0) return;
  await installResources(client, changed, { fieldManager, signal, ...(descriptions && { descriptions }) });
  log.info('Installed definitions', { definitions: changed.map(nameOf) });
}

/**
 * Logs which definitions on the server differ from the code, and changes nothing. Logs nothing when reading them is forbidden.
 * Ignores descriptions, because those from comments are not known here.
 */
export async function compareInstalled(
  resources: readonly DefinedResource[],
  { client, log, signal }: MissingResourcesOptions,
): Promise<void> {
  try {
    const definitions = (await differing(client, resources, { signal, read: withoutDescriptions })).map(nameOf);
    if (definitions.length > 0)
      log.warn('Definitions differ from the code: pintle install updates them', { definitions });
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
}

interface DifferingOptions {
  readonly signal: AbortSignal;
  /** Returns the part of a definition that has to be on the server. */
  readonly read: (definition: CustomResourceDefinition) => CustomResourceDefinition;
}

async function differing(
  client: Client,
  resources: readonly DefinedResource[],
  { signal, read }: DifferingOptions,
): Promise<DefinedResource[]> {
  const found = await Promise.all(
    resources.map((resource) => client.find(CustomResourceDefinition, { name: nameOf(resource) }, { signal })),
  );
  return resources.filter(({ definition }, index) => {
    // The webhooks set the conversion once they run.
    const { conversion: _conversion, ...spec } = read(definition).spec;
    const live = found[index];
    const isConverting = live?.spec.conversion?.strategy === 'Webhook';
    const hasConverter = definition.spec.conversion?.strategy === 'Webhook';
    if (live === undefined || hasStaleConversionWebhook(definition, live)) return true;
    return (hasConverter && !isConverting) || !isContained(spec, live.spec) || hasRemovals(definition, live);
  });
}

/**
 * True when the server has versions, fields, rules or columns that the code has no more. Ignores descriptions, which may come from
 * elsewhere, and what the server adds outside of versions.
 */
function hasRemovals(definition: CustomResourceDefinition, live: CustomResourceDefinition): boolean {
  const wanted = withoutDescriptions(definition).spec.versions;
  return withoutDescriptions(live).spec.versions.some((version) => {
    const { name, schema, subresources, additionalPrinterColumns, selectableFields } = version;
    const same = wanted.find((candidate) => candidate.name === name);
    return !isContained({ schema, subresources, additionalPrinterColumns, selectableFields }, same ?? {});
  });
}

function nameOf({ definition: { metadata } }: DefinedResource): string {
  return metadata.name ?? '';
}

export function isDefined(type: ResourceType): type is DefinedResource {
  return 'definition' in type;
}

async function isServed(
  client: Client,
  { group, version, plural }: ResourceType,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const list = await client.call({ method: 'GET', path: `/apis/${group}/${version}` }, { signal });
    const { resources = [] } = list as { readonly resources?: readonly { readonly name: string }[] };
    return resources.some(({ name }) => name === plural);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
