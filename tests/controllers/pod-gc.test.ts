import { Node, Pod } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';

test('pods go a while after the node they were on, and say why', async () => {
  await using plane = await openPlane(['pod-garbage-collector-controller', 'serviceaccount-controller']);
  const { client, clock } = plane;
  for (const name of ['stays', 'goes']) {
    await client.create(Node, { metadata: { name } });
    const spec = { nodeName: name, automountServiceAccountToken: false, containers: [{ name: 'app', image: 'app' }] };
    const pod = { metadata: { namespace, name, finalizers: ['example.com/look'] }, spec };
    await plane.eventually(() => client.create(Pod, pod).catch(() => undefined));
  }
  await client.delete(Node, { name: 'goes' });
  await clock.advance(30_000);
  expect((await client.get(Pod, { namespace, name: 'goes' })).metadata.deletionTimestamp).toBeUndefined();
  await clock.advance(60_000);
  const gone = await client.get(Pod, { namespace, name: 'goes' });
  expect(gone.metadata.deletionTimestamp).toBeDefined();
  expect(gone.status).toMatchObject({
    phase: 'Failed',
    conditions: [{ type: 'DisruptionTarget', reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' }],
  });
  expect((await client.get(Pod, { namespace, name: 'stays' })).metadata.deletionTimestamp).toBeUndefined();
});

test('a pod that never got a node has failed when it goes', async () => {
  await using plane = await openPlane(['pod-garbage-collector-controller', 'serviceaccount-controller']);
  const { client, clock } = plane;
  const spec = { automountServiceAccountToken: false, containers: [{ name: 'app', image: 'app' }] };
  const pod = { metadata: { namespace, name: 'lost', finalizers: ['example.com/look'] }, spec };
  await plane.eventually(() => client.create(Pod, pod).catch(() => undefined));
  await client.delete(Pod, { namespace, name: 'lost' });
  await clock.advance(30_000);
  const { status } = await client.get(Pod, { namespace, name: 'lost' });
  expect(status).toMatchObject({ phase: 'Failed', observedGeneration: 2 });
  expect(status?.conditions).toBeUndefined();
});
