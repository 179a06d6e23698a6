import type { GenerateManifestsOptions } from '@pintle/generate';
import { generateManifests } from '@pintle/generate';
import { showChanges } from './show-changes.ts';

/** `pintle generate manifests` */
export async function manifests({
  output,
  ...options
}: GenerateManifestsOptions & { readonly output?: 'text' | 'json' }): Promise<void> {
  showChanges(await generateManifests(process.cwd(), options), { output });
}
