import { Deployment } from '@pintle/kinds/apps/v1';
import { ConfigMap, Event } from '@pintle/kinds/core/v1';
import { startControlPlane, stepped } from '@pintle/testing';
import { expect, test } from 'vitest';

test('an object and its child of the same name both have their events at one instant of a stepped clock', async () => {
  await using plane = await startControlPlane({ clock: stepped(), controllers: ['*'] });
  plane.operator((manager) => {
    manager
      .controller(ConfigMap)
      .owns(Deployment)
      .reconcile(async (map, ctx) => {
        if (map.metadata.name !== 'twin') return;
        const labels = { app: 'twin' };
        const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } };
        const spec = { replicas: 1, selector: { matchLabels: labels }, template };
        await ctx.apply(Deployment, { metadata: { name: 'twin' }, spec });
        ctx.event('Normal', 'Made', 'the deployment was made');
      });
  });
  await plane.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'twin' } });
  await plane.untilIdle();
  const { items } = await plane.client.list(Event, { namespace: 'default' });
  const ofTwins = items.filter(({ involvedObject: { name } }) => name === 'twin');
  expect(ofTwins.map(({ involvedObject: { kind }, reason }) => `${kind} ${reason}`).sort()).toEqual([
    'ConfigMap Made',
    'Deployment ScalingReplicaSet',
  ]);
});
