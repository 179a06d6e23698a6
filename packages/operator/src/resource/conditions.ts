import { z } from 'zod';
import { listMap } from './schema-helpers.ts';

const condition = z.object({
  type: z
    .string()
    .max(316)
    .regex(
      /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/,
    )
    .describe('What is being said about the object, in CamelCase: Ready.'),
  status: z.enum(['True', 'False', 'Unknown']),
  observedGeneration: z.int().min(0).optional().describe('The generation of the object that this was said about.'),
  lastTransitionTime: z.iso.datetime({ offset: true }).describe('When the status last became another.'),
  reason: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
    .describe('Why, for programs: one word in CamelCase.'),
  message: z.string().max(32768).describe('Why, for people. May be empty.'),
});

/** Condition of Kubernetes. */
export type Condition = z.output<typeof condition>;

/** Returns the schema of `status.conditions`: a list map by type, so that each condition may have its own field manager. */
export function conditions(): z.ZodOptional<z.ZodArray<typeof condition>> {
  return listMap(z.array(condition), ['type']).optional();
}
