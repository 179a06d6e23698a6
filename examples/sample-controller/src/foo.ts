import { conditions, defineResource } from '@pintle/operator';
import { z } from 'zod';

/** A Foo manages a Deployment. */
export const Foo = defineResource({
  group: 'samplecontroller.k8s.io',
  version: 'v1alpha1',
  kind: 'Foo',
  // Groups below k8s.io are protected; the annotation marks this one as a sample.
  annotations: { 'api-approved.kubernetes.io': 'unapproved, experimental-only' },
  spec: z.object({
    deploymentName: z.string().min(1).max(253).describe('Name of the Deployment of the Foo.'),
    replicas: z.int().min(1).max(10).default(1),
  }),
  status: z.object({
    availableReplicas: z.int().default(0),
    observedGeneration: z.int().optional(),
    conditions: conditions(),
  }),
  columns: [
    { name: 'Deployment', type: 'string', jsonPath: '.spec.deploymentName' },
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas' },
  ],
});
export type Foo = typeof Foo.Type;
