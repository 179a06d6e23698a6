import { type Client, waitFor } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { UsageError } from './usage-error.ts';

/** Resolves when the server serves objects of a CRD. Rejects when its names are taken by another CRD. */
export async function untilEstablished(client: Client, name: string): Promise<void> {
  await waitFor(client, CustomResourceDefinition, { name }, (definition) => {
    const conditions = definition?.status?.conditions ?? [];
    const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
    if (refused !== undefined) throw new UsageError(`Cannot serve ${name}: ${refused.message ?? refused.reason}`);
    return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  });
}
