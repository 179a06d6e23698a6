import { confirm, isCancel } from '@clack/prompts';
import type { Client } from '@pintle/client';
import type { Manifest } from '@pintle/generate';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { isForbidden, isNotFound } from '@pintle/machinery/errors';
import { UsageError } from '../usage-error.ts';
import { definedBy } from './held-objects.ts';

/**
 * Returns how many objects go with their definitions, once it is sure that this is wanted: `yes` says so, or a person in the
 * terminal. Whoever may not list them gets `undefined`.
 */
export async function confirmRemoval(
  client: Client,
  definitions: readonly Manifest[],
  { yes = false }: { readonly yes?: boolean },
): Promise<number | undefined> {
  const count = await countObjects(client, definitions);
  if (yes || count === 0) return count;
  const names = definitions.map(({ object }) => object.metadata.name).join(', ');
  const lost = `${count === undefined ? 'all objects' : describeCount(count)} of ${names}`;
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError(`Cannot remove the definitions: ${lost} would be deleted with them. Say --yes to delete them`);
  const answer = await confirm({ message: `This deletes ${lost}. Go on?`, initialValue: false });
  if (isCancel(answer) || !answer) throw new UsageError('Nothing was removed');
  return count;
}

export function describeCount(count: number): string {
  return `${count} ${count === 1 ? 'object' : 'objects'}`;
}

async function countObjects(client: Client, definitions: readonly Manifest[]): Promise<number | undefined> {
  let count = 0;
  for (const { object } of definitions) {
    const found = await client.find(CustomResourceDefinition, { name: object.metadata.name ?? '' });
    if (found === undefined) continue;
    try {
      for await (const _ of client.each(definedBy(found))) count++;
    } catch (error) {
      if (isForbidden(error)) return undefined;
      // A definition that is going serves its objects no more.
      if (!isNotFound(error)) throw error;
    }
  }
  return count;
}
