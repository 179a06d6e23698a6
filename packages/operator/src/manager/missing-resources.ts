import type { Client } from '@pintle/client';
import type { ResourceType } from '@pintle/machinery';
import { isForbidden, isNotFound } from '@pintle/machinery/errors';
import type { Log } from '../controller/controller.ts';
import type { DefinedResource } from '../resource/define-resource.ts';
import { installResources } from '../resource/install-resources.ts';

export interface MissingResourcesOptions {
  readonly client: Client;
  readonly fieldManager: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Tells the server about those resources that it does not serve at all, so that a program can be tried on an empty
 * cluster. Those it serves, in whatever form, are left to whoever deploys the program. A program that may not define
 * resources waits for somebody who may.
 */
export async function installMissing(
  resources: readonly DefinedResource[],
  { client, fieldManager, log, signal }: MissingResourcesOptions,
): Promise<void> {
  const served = await Promise.all(resources.map((resource) => isServed(client, resource, signal)));
  const missing = resources.filter((_resource, index) => !served[index]);
  if (missing.length === 0) return;
  const names = missing.map(({ definition: { metadata } }) => metadata.name);
  try {
    await installResources(client, missing, { fieldManager, signal });
    log.info('Installed missing resources', { resources: names });
  } catch (error) {
    if (!isForbidden(error)) throw error;
    log.warn('Could not install missing resources', { resources: names, error: String(error) });
  }
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
