import type { MetricsSource, PodMetric } from '@pintle/controllers';
import { Deployment } from '@pintle/kinds/apps/v1';
import { HorizontalPodAutoscaler } from '@pintle/kinds/autoscaling/v2';
import { Pod } from '@pintle/kinds/core/v1';
import { defineResource, installResources } from '@pintle/operator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const CONTROLLERS = [
  'deployment-controller',
  'horizontal-pod-autoscaler-controller',
  'replicaset-controller',
  'serviceaccount-controller',
];

test('without metrics only the bounds are kept', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await addDeployment(plane, 'low', 1);
  await addDeployment(plane, 'off', 0);
  for (const name of ['low', 'off', 'none']) await addAutoscaler(plane, name);
  const low = await said(plane, 'low', 'FailedGetResourceMetric');
  expect(low.status).toMatchObject({ currentReplicas: 2, desiredReplicas: 2, currentMetrics: [{ type: '' }] });
  expect(messageOf(low, 'ScalingActive')).toBe(
    'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)',
  );
  expect(await replicasOf(plane, 'low')).toBe(2);
  await said(plane, 'off', 'ScalingDisabled');
  expect(messageOf(await said(plane, 'none', 'FailedGetScale'), 'AbleToScale')).toBe(
    'the HPA controller was unable to get the target\'s current scale: deployments.apps "none" not found',
  );
});

test('a target grows at once and shrinks only when it was long enough too large', async () => {
  const usage = { milli: 0 };
  const nobody = async (): Promise<never> => {
    throw new Error('nobody knows');
  };
  const planes: Plane[] = [];
  const metrics: MetricsSource = {
    resource: async () => await measured(planes[0]!, usage.milli),
    pods: nobody,
    object: nobody,
    external: nobody,
  };
  await using plane = await openPlane(CONTROLLERS, { metrics });
  planes.push(plane);
  await addDeployment(plane, 'web', 2);
  await runPods(plane, 2);
  usage.milli = 80;
  await addAutoscaler(plane, 'web');
  await plane.eventually(async () => (await replicasOf(plane, 'web')) === 4);
  const grown = await said(plane, 'web', 'SucceededRescale');
  expect(grown.status?.currentMetrics).toEqual([
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 80, averageValue: '80m' } } },
  ]);
  await runPods(plane, 4);
  usage.milli = 10;
  const held = await said(plane, 'web', 'ScaleDownStabilized');
  expect(held.status?.desiredReplicas).toBe(4);
  await plane.eventually(async () => (await replicasOf(plane, 'web')) === 2);
  expect(messageOf(await said(plane, 'web', 'TooFewReplicas'), 'ScalingLimited')).toBe(
    'the desired replica count is less than the minimum replica count',
  );
});

test('two autoscalers of the same pods leave them alone', async () => {
  await using plane = await openPlane(CONTROLLERS);
  await addDeployment(plane, 'web', 2);
  await runPods(plane, 2);
  await addAutoscaler(plane, 'web');
  await addAutoscaler(plane, 'again', 'web');
  expect(messageOf(await said(plane, 'web', 'AmbiguousSelector'), 'ScalingActive')).toMatch(
    /^pods by selector app=web are controlled by multiple HPAs: \[default\/\w+ default\/\w+\]$/,
  );
});

test('an autoscaler does not scale what lies outside of namespaces', async () => {
  const Fleet = defineResource({
    group: 'x.io',
    version: 'v1',
    kind: 'Fleet',
    scope: 'Cluster',
    spec: z.object({ replicas: z.int() }),
    status: z.object({ replicas: z.int().optional() }),
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  });
  await using plane = await openPlane(CONTROLLERS, {
    before: async (client) => {
      await installResources(client, [Fleet]);
      await client.create(Fleet, { metadata: { name: 'prod' }, spec: { replicas: 3 } });
    },
  });
  await plane.client.create(HorizontalPodAutoscaler, {
    metadata: { namespace, name: 'thief' },
    spec: {
      scaleTargetRef: { apiVersion: 'x.io/v1', kind: 'Fleet', name: 'prod' },
      minReplicas: 50,
      maxReplicas: 60,
    },
  });
  const refused = await said(plane, 'thief', 'FailedGetScale');
  expect(messageOf(refused, 'AbleToScale')).toBe(
    "the HPA controller was unable to get the target's current scale: the server could not find the requested resource",
  );
  expect(refused.status).toMatchObject({ desiredReplicas: 0 });
  expect((await plane.client.get(Fleet, { name: 'prod' })).spec.replicas).toBe(3);
});

async function measured({ client, clock }: Plane, milli: number): Promise<Map<string, PodMetric>> {
  const { items } = await client.list(Pod, { namespace });
  return new Map(items.map(({ metadata }) => [metadata.name ?? '', { milli, atMs: clock.now(), windowMs: 0 }]));
}

/** Plays the kubelet: so many pods run and have been ready for long. */
async function runPods(plane: Plane, count: number): Promise<void> {
  await plane.eventually(async () => {
    const { items } = await plane.client.list(Pod, { namespace });
    for (const { metadata, status } of items.filter((pod) => pod.status?.phase !== 'Running')) {
      const long = '2025-01-01T00:00:00Z';
      const conditions = [{ type: 'Ready', status: 'True' as const, lastTransitionTime: long }];
      const body = { status: { ...status, phase: 'Running' as const, startTime: long, conditions } };
      const ref = { namespace, name: metadata.name ?? '' };
      await plane.client.patch(Pod, ref, { type: 'merge', body }, { subresource: 'status' });
    }
    return items.length === count;
  });
}

async function addDeployment({ client }: Plane, name: string, replicas: number): Promise<void> {
  const labels = { app: name };
  const resources = { requests: { cpu: '100m' } };
  await client.create(Deployment, {
    metadata: { namespace, name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app', resources }] } },
    },
  });
}

async function addAutoscaler({ client }: Plane, name: string, aim = name): Promise<void> {
  const target = { type: 'Utilization', averageUtilization: 50 };
  await client.create(HorizontalPodAutoscaler, {
    metadata: { namespace, name },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: aim },
      minReplicas: 2,
      maxReplicas: 5,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    },
  });
}

async function replicasOf({ client }: Plane, name: string): Promise<number | undefined> {
  return (await client.get(Deployment, { namespace, name })).spec?.replicas;
}

async function said(plane: Plane, name: string, reason: string): Promise<HorizontalPodAutoscaler> {
  return await plane.eventually(async () => {
    const autoscaler = await plane.client.get(HorizontalPodAutoscaler, { namespace, name });
    return autoscaler.status?.conditions?.some((condition) => condition.reason === reason) && autoscaler;
  });
}

function messageOf({ status }: HorizontalPodAutoscaler, type: string): string | undefined {
  return status?.conditions?.find((condition) => condition.type === type)?.message;
}
