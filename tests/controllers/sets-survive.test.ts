import { SeededRandom } from '@pintle/async';
import { Client } from '@pintle/client';
import { addBuiltinControllers } from '@pintle/controllers';
import { ControllerRevision, DaemonSet, StatefulSet } from '@pintle/kinds/apps/v1';
import { Node, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import { Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import type { Plane } from '../helpers/plane.ts';
import { openPlane } from '../helpers/plane.ts';

const namespace = 'default';
const WRITES = 8;
const CLAIM: PersistentVolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const podsOfApp = (app: string) => ({
  selector: { matchLabels: { app } },
  template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
});

test('a stateful set comes out the same wherever its controller was killed', async () => {
  await using plane = await openPlane(['serviceaccount-controller']);
  for (let writes = 0; writes < WRITES; writes++) {
    const name = `db${writes}`;
    const spec = { ...podsOfApp(name), replicas: 2, podManagementPolicy: 'Parallel' as const };
    await plane.client.create(StatefulSet, {
      metadata: { namespace, name },
      spec: { ...spec, volumeClaimTemplates: [CLAIM] },
    });
    await killedAndStartedAgain(plane, 'statefulset-controller', writes, async () => {
      const { status } = await plane.client.get(StatefulSet, { namespace, name });
      return status?.replicas === 2 && status.updatedReplicas === 2;
    });
    const labelSelector = `app=${name}`;
    const names = async (type: typeof Pod | typeof PersistentVolumeClaim): Promise<(string | undefined)[]> =>
      (await plane.client.list<Pod | PersistentVolumeClaim>(type as typeof Pod, { namespace, labelSelector })).items
        .map(({ metadata }) => metadata.name)
        .sort();
    expect(await names(Pod)).toEqual([`${name}-0`, `${name}-1`]);
    expect(await names(PersistentVolumeClaim)).toEqual([`data-${name}-0`, `data-${name}-1`]);
    expect((await plane.client.list(ControllerRevision, { namespace, labelSelector })).items).toHaveLength(1);
  }
});

test('a daemon set comes out the same wherever its controller was killed', async () => {
  await using plane = await openPlane(['serviceaccount-controller']);
  for (const name of ['a', 'b', 'c']) {
    await plane.client.create(Node, { metadata: { name } });
    await plane.client.patch(Node, { name }, { type: 'merge', body: { spec: { taints: null } } });
  }
  for (let writes = 0; writes < WRITES; writes++) {
    const name = `agent${writes}`;
    await plane.client.create(DaemonSet, { metadata: { namespace, name }, spec: podsOfApp(name) });
    await killedAndStartedAgain(plane, 'daemonset-controller', writes, async () => {
      const { status } = await plane.client.get(DaemonSet, { namespace, name });
      return status?.currentNumberScheduled === 3 && status.updatedNumberScheduled === 3;
    });
    const labelSelector = `app=${name}`;
    expect((await plane.client.list(Pod, { namespace, labelSelector })).items).toHaveLength(3);
    expect((await plane.client.list(ControllerRevision, { namespace, labelSelector })).items).toHaveLength(1);
  }
});

/** Runs a controller that dies after so many writes, the last of which it never hears of; then one that lives. */
async function killedAndStartedAgain(
  plane: Plane,
  controller: string,
  writes: number,
  isDone: () => Promise<boolean>,
): Promise<void> {
  const { transport } = plane.client;
  const first = new AbortController();
  let left = writes;
  const send: typeof transport.send = async (request) => {
    const isWrite = request.method !== 'GET';
    if (first.signal.aborted) throw new Error('it is dead');
    const answer = await transport.send(request);
    if (!isWrite || left-- > 0) return answer;
    first.abort();
    throw new Error('it was killed');
  };
  const dying = run(plane, new Client({ transport: { ...transport, send }, clock: plane.clock }), controller, first);
  await plane.eventually(async () => first.signal.aborted || (await isDone()));
  first.abort();
  await dying;
  const second = new AbortController();
  const living = run(plane, plane.client, controller, second);
  await plane.eventually(isDone);
  await plane.clock.advance(10_000);
  second.abort();
  await living;
}

async function run({ clock }: Plane, client: Client, controller: string, stop: AbortController): Promise<void> {
  const manager = new Manager({ client, clock, random: new SeededRandom(3), isFrozen: true });
  addBuiltinControllers(manager, [controller]);
  await manager.run({ signal: stop.signal });
}
