import { conditions, defineResource } from '@pintle/operator';
import { z } from 'zod';

const name = () => z.string().min(1).max(253);

/** Keeps copies of a Secret in other namespaces. */
export const SecSynch = defineResource({
  group: 'sync.pintle.dev',
  version: 'v1',
  kind: 'SecSynch',
  shortNames: ['secsync'],
  spec: z.object({
    source: z.object({
      namespace: name().optional().describe('Default: where the SecSynch is.'),
      name: name(),
    }),
    namespaces: z.array(name()).max(1_000).describe('Where there are to be copies.'),
  }),
  status: z.object({
    copies: z.int().optional(),
    /** Namespaces without a copy, and why. */
    missing: z.array(z.object({ namespace: z.string(), reason: z.string() })).optional(),
    observedGeneration: z.int().optional(),
    conditions: conditions(),
  }),
  columns: [
    { name: 'Source', type: 'string', jsonPath: '.spec.source.name' },
    { name: 'Copies', type: 'integer', jsonPath: '.status.copies' },
    { name: 'Synced', type: 'string', jsonPath: '.status.conditions[?(@.type=="Synced")].status' },
  ],
});
export type SecSynch = typeof SecSynch.Type;

export interface Source {
  readonly namespace: string;
  readonly name: string;
}

export function sourceOf({ metadata, spec }: SecSynch): Source {
  return { namespace: spec.source.namespace ?? metadata.namespace ?? '', name: spec.source.name };
}
