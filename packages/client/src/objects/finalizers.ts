import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isConflict } from '@pintle/machinery/errors';
import type { Client } from '../rest/client.ts';
import type { CallOptions } from '../rest/options.ts';
import { genericMergePatch } from '../rest/options.ts';

const MAX_TRIES = 5;

/** Reads objects from the server, and patches them. */
type Editor = Pick<Client, 'find' | 'patch'>;

export function hasFinalizer({ metadata }: KubernetesObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/**
 * Adds the finalizer and resolves with the object. Keeps other finalizers, also those that change meanwhile. Resolves with
 * `undefined` when the object is gone or was replaced by another of its name.
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
 * Removes the finalizer and resolves with the object; `undefined` when the object is gone, perhaps because this was its last
 * finalizer. Reads the object from the server when the given copy does not have the finalizer: the copy may be too old.
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
    // A merge replaces the whole list: with the resourceVersion, the server refuses it after another write.
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
