import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isConflict } from '@pintle/machinery/errors';
import type { Client } from '../rest/client.ts';
import type { CallOptions } from '../rest/options.ts';
import { genericMergePatch } from '../rest/options.ts';

const MAX_TRIES = 5;

/** Reads objects from the server, and changes them. */
type Editor = Pick<Client, 'find' | 'patch'>;

export function hasFinalizer({ metadata }: KubernetesObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Holds the object until the finalizer is removed, and gives it as it is then. Others' finalizers are left as they
 * are, also those that come and go meanwhile. `undefined`: the object is gone, or another of its name has come.
 */
export function addFinalizer<T extends KubernetesObject>(
  client: Editor,
  type: ResourceType<T>,
  object: NoInfer<T>,
  finalizer: string,
  options?: CallOptions,
): Promise<T | undefined> {
  const add = (finalizers: readonly string[]) =>
    finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer];
  return editFinalizers(client, type, object, add, options);
}

/**
 * Lets go of the object. `undefined`: it is gone, perhaps because this was all that held it. A copy without the
 * finalizer may be too old to have it, so the server is asked.
 */
export async function removeFinalizer<T extends KubernetesObject>(
  client: Editor,
  type: ResourceType<T>,
  object: NoInfer<T>,
  finalizer: string,
  options?: CallOptions,
): Promise<T | undefined> {
  const remove = (finalizers: readonly string[]) =>
    finalizers.includes(finalizer) ? finalizers.filter((other) => other !== finalizer) : finalizers;
  if (hasFinalizer(object, finalizer)) return await editFinalizers(client, type, object, remove, options);
  const { namespace, name = '', uid } = object.metadata;
  const current = await client.find(type, { namespace, name }, options);
  if (current === undefined || current.metadata.uid !== uid) return undefined;
  return await editFinalizers(client, type, current, remove, options);
}

async function editFinalizers<T extends KubernetesObject>(
  client: Editor,
  type: ResourceType<T>,
  object: T,
  edit: (finalizers: readonly string[]) => readonly string[],
  options: CallOptions = {},
): Promise<T | undefined> {
  const { namespace, name = '', uid } = object.metadata;
  const ref = { namespace, name };
  let current: T | undefined = object;
  for (let tries = 1; current !== undefined && current.metadata.uid === uid; tries++) {
    const before = current.metadata.finalizers ?? [];
    const finalizers = edit(before);
    if (finalizers === before) return current;
    // The version makes the server refuse when somebody else was faster, for a merge replaces the whole list.
    const metadata = { resourceVersion: current.metadata.resourceVersion, finalizers };
    try {
      return await client.patch(type, ref, genericMergePatch<T>({ metadata }), options);
    } catch (error) {
      current = await client.find(type, ref, options);
      if (current !== undefined && (!isConflict(error) || tries === MAX_TRIES)) throw error;
    }
  }
  return undefined;
}
