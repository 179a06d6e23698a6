import { confirm, isCancel } from '@clack/prompts';
import type { Client } from '@pintle/client';
import type { Manifest } from '@pintle/generate';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { isForbidden, isNotFound } from '@pintle/machinery/errors';
import { UsageError } from '../usage-error.ts';
import { definedBy } from './held-objects.ts';

/**
 * Returns the number of objects that are deleted with their CRDs, after `yes` or the user in the terminal confirmed it;
 * `undefined` when the user may not list them. Throws UsageError without a confirmation.
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
    throw new UsageError(`Cannot delete the CRDs: this deletes ${lost}. Pass --yes to confirm`);
  const answer = await confirm({ message: `This deletes ${lost}. Continue?`, initialValue: false });
  if (isCancel(answer) || !answer) throw new UsageError('Cancelled: nothing was deleted');
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
      // A CRD that is being deleted serves no objects any more.
      if (!isNotFound(error)) throw error;
    }
  }
  return count;
}
