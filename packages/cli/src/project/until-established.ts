import type { Client } from '@pintle/client';
import { waitFor } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';

/** Resolves when objects of a definition can be made. */
export async function untilEstablished(client: Client, name: string): Promise<void> {
  await waitFor(client, CustomResourceDefinition, { name }, (definition) =>
    Boolean(definition?.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True')),
  );
}
