import type { KubernetesObject } from '@pintle/machinery';
import { conditions, defineResource } from '@pintle/operator';
import { z } from 'zod';

/** A custom resource for tests: it stands for as many config maps as it names. */
export const Box = defineResource({
  group: 'test.pintle.dev',
  version: 'v1',
  kind: 'Box',
  spec: z.object({
    parts: z.array(z.string()).default([]),
    namespaces: z.array(z.string()).default([]),
    follows: z.string().optional(),
    note: z.string().optional(),
  }),
  status: z.object({
    parts: z.int().optional(),
    note: z.string().optional(),
    observedGeneration: z.int().optional(),
    conditions: conditions(),
  }),
});
export type Box = typeof Box.Type;

export const Crate = defineResource({
  group: 'test.pintle.dev',
  version: 'v1',
  kind: 'Crate',
  scope: 'Cluster',
  spec: z.object({ part: z.string().optional() }),
});

export const Lid = defineResource({ group: 'lids.pintle.dev', version: 'v1', kind: 'Lid', spec: z.object({}) });

export const namespace = 'default';

export function box(name: string, spec: typeof Box.Input.spec = {}): KubernetesObject {
  return { apiVersion: Box.apiVersion, kind: Box.kind, metadata: { namespace, name }, spec } as KubernetesObject;
}

export function refTo(name: string): { namespace: string; name: string } {
  return { namespace, name };
}
