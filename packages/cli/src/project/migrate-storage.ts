import { type Client, RestMapper, retryOnConflict } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import { errorText, isNotFound } from '@pintle/machinery/errors';
import { UsageError } from '../usage-error.ts';
import { refOf } from './applied-objects.ts';
import type { ClusterFlags } from './cluster.ts';
import { connectTo } from './cluster.ts';

/** Maximum of refused objects that a message names. */
const MAX_NAMED = 10;
const OPTIONS = { fieldManager: 'pintle-migrate-storage' } as const;

/** `pintle migrate-storage`: rewrites every object of a resource, so that the server stores it in the stored version. */
export async function migrateStorage(word: string, flags: ClusterFlags): Promise<void> {
  await using client = await connectTo(flags);
  const type = await new RestMapper({ client }).resource(word);
  const { version, written, refused } = await rewriteAll(client, type);
  const what = `${written} ${written === 1 ? 'object' : 'objects'} of ${type.plural}${type.group && `.${type.group}`}`;
  process.stdout.write(`Wrote ${what} as ${version}\n`);
  if (refused.length === 0) return;
  const more = refused.length > MAX_NAMED ? [`and ${refused.length - MAX_NAMED} more`] : [];
  const named = [...refused.slice(0, MAX_NAMED), ...more].join('\n  ');
  throw new UsageError(`Cannot write ${refused.length} of ${refused.length + written} objects:\n  ${named}`);
}

interface Rewritten {
  /** The version in which objects were read and written. */
  readonly version: string;
  readonly written: number;
  /** Objects that the server refused, and why. */
  readonly refused: readonly string[];
}

/**
 * Reads all objects page by page and writes each as it was read. The server stores an object whose bytes differ from the
 * stored ones, which they do when the version differs. Objects that are deleted meanwhile need no write.
 */
export async function rewriteAll(client: Client, type: ResourceType, limit?: number): Promise<Rewritten> {
  const stored = await inStoredVersion(client, type);
  const refused: string[] = [];
  let written = 0;
  for await (const object of client.each(stored, limit === undefined ? {} : { limit })) {
    try {
      if (await rewrite(client, stored, object)) written++;
    } catch (error) {
      const { namespace, name } = refOf(object);
      refused.push(`${namespace === undefined ? '' : `${namespace}/`}${name}: ${errorText(error)}`);
    }
  }
  return { version: stored.version, written, refused };
}

/** Returns false for an object that is gone. */
async function rewrite(client: Client, type: ResourceType, listed: KubernetesObject): Promise<boolean> {
  let object: KubernetesObject | undefined = listed;
  try {
    await retryOnConflict(async () => {
      object ??= await client.get(type, refOf(listed));
      const update = object;
      object = undefined;
      await client.update(type, update, OPTIONS);
    });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Returns the resource in the version that its CRD stores, so that objects are converted once only. */
async function inStoredVersion(client: Client, type: ResourceType): Promise<ResourceType> {
  const definition = await client.find(CustomResourceDefinition, { name: `${type.plural}.${type.group}` });
  const version = definition?.spec.versions.find(({ storage, served }) => storage && served)?.name;
  if (version === undefined || version === type.version) return type;
  const { group, kind, plural, scope } = type;
  return resourceType({ group, version, kind, plural, scope });
}
