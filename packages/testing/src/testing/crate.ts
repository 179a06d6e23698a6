import { defineResource } from '@pintle/operator';
import { z } from 'zod';

/** A resource with two versions whose fields differ. */
export const Crate = defineResource({
  group: 'shop.test',
  kind: 'Crate',
  versions: { v1: { spec: z.object({ weight: z.int() }) }, v1beta1: { spec: z.object({ heavy: z.boolean() }) } },
  storage: 'v1',
  conversions: {
    v1beta1: {
      toHub: ({ spec }) => ({ spec: { weight: spec.heavy ? 100 : 1 } }),
      fromHub: ({ spec }) => ({ spec: { heavy: spec.weight > 10 } }),
    },
  },
});
