import { Deployment } from '@pintle/kinds/apps/v1';
import { type ControlPlane, startControlPlane } from '@pintle/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Report } from './report.ts';
import { untilRolledOut } from './rollout.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ env: {}, controllers: ['*'], nodes: 1, patience: '60s' });
}, 60_000);
afterAll(() => plane[Symbol.asyncDispose]());

async function rollOut(name: string, script: string, steadyMs: number): Promise<void> {
  const metadata = { namespace: 'default', name };
  const labels = { app: name };
  const container = { name: 'operator', image: 'fruits:1', command: ['sh', '-c', script] };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  await plane.client.create(Deployment, { metadata, spec: { selector: { matchLabels: labels }, template } });
  await untilRolledOut(plane.client, metadata, { report: new Report('json'), timeoutMs: 8_000, steadyMs });
}

test('an operator that fails soon after its start is not rolled out', async () => {
  const failed = rollOut('failing', 'sleep 1; exit 3', 3_000);
  await expect(failed).rejects.toThrow(/container operator: CrashLoopBackOff.*exited with 3/);
}, 60_000);

test('an operator that goes on is rolled out', async () => {
  await rollOut('fine', 'sleep 1000', 500);
}, 60_000);
