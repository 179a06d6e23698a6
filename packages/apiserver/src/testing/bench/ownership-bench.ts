import type { KubernetesObject } from '@pintle/machinery';
import { apply, trackUpdate } from '@pintle/machinery/fields';
import type { JsonObject } from '@pintle/machinery/json';
import { deepCopy } from '@pintle/machinery/json';
import { openTestServer } from '../open-test-server.ts';
import { percentile } from './load/load.ts';
import { deployment } from './objects.ts';

const ROUNDS = 4_000;
const APPS = '/apis/apps/v1/namespaces/default/deployments';

/** What it costs to know who owns which field, in the write of a Deployment of 3 KB. */
export async function bench(print: (line: string) => void): Promise<void> {
  await using api = await openTestServer();
  const resource = await api.server.resources.find({ group: 'apps', version: 'v1', resource: 'deployments' });
  const schema = resource!.fieldSchema();
  const answer = await api.send('POST', `${APPS}?fieldManager=creator`, { body: deployment('web') });
  const live = JSON.parse(Buffer.from(answer.body as Uint8Array).toString()) as KubernetesObject & JsonObject;
  const context = {
    apiVersion: 'apps/v1',
    subresource: undefined,
    time: '2026-01-02T03:04:06Z',
    schema,
    resetFields: undefined,
  };

  const next = deepCopy(live as JsonObject) as typeof live;
  (next.spec as { replicas: number }).replicas = 5;
  const updating = p50Us(() => trackUpdate({ ...context, manager: 'updater', next, live }));
  const creating = p50Us(() => trackUpdate({ ...context, manager: 'creator', next }));
  const applied = deployment('web', 'nginx:1.28') as JsonObject;
  const applying = p50Us(() => apply({ ...context, manager: 'applier', applied, live, force: true }));
  const bytes = JSON.stringify(live).length;
  print(
    `${`Deployment of ${(bytes / 1000).toFixed(1)} KB`.padEnd(44)} ownership adds ${creating} µs to a create, ${updating} µs to an ` +
      `update, an apply takes ${applying} µs (p50)`,
  );
}

function p50Us(work: () => unknown): number {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    work();
    times.push(performance.now() - began);
  }
  const settled = times.slice(ROUNDS / 2).sort((a, b) => a - b);
  return Math.round(percentile(settled, 0.5) * 1000);
}
