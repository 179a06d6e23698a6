import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectlFor } from './helpers/kubectl.ts';
import { type RunningPintle, startPintle, stopPintle } from './helpers/pintle.ts';
import { pintle, scaffoldFruits } from './helpers/project.ts';

const TIMEOUT = { timeout: 180_000 };
const { parent, project } = await scaffoldFruits();
let plane: RunningPintle;
const onPlane = (line: string): Promise<string> => pintle(project, `${line} --kubeconfig ${plane.kubeconfig}`);
const settings = (): { deployment?: object } => JSON.parse(readFileSync(join(project, 'pintle.json'), 'utf8'));

beforeAll(async () => {
  plane = await startPintle('--memory', '--nodes', '1');
  await pintle(project, 'generate manifests');
}, 120_000);

afterAll(async () => {
  await stopPintle(plane);
  rmSync(parent, { recursive: true, force: true });
}, 60_000);

test('deploy remembers how many replicas it was told', TIMEOUT, async () => {
  expect(await onPlane('deploy --replicas 2')).toContain('2 of 2 available');
  expect(settings().deployment).toMatchObject({ replicas: 2 });
  await pintle(project, 'generate manifests --check');
  const again = await onPlane('deploy');
  expect(again).toContain('2 of 2 available');
  expect(again).not.toContain('~ manifests');
});

test('doctor tells of manifests that a setting made stale, and deploy brings them up to date', TIMEOUT, async () => {
  const deployment = { ...settings().deployment, env: [{ name: 'SEASON', value: 'autumn' }] };
  writeFileSync(join(project, 'pintle.json'), JSON.stringify({ ...settings(), deployment }));
  await expect(onPlane('doctor')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/NO manifests +out of date: .*deployment\.yaml/),
  });
  expect(await onPlane('deploy')).toMatch(/~ manifests \(updated: .*\)/);
  expect(readFileSync(join(project, 'manifests', 'manager', 'deployment.yaml'), 'utf8')).toContain('autumn');
  expect(await onPlane('doctor')).toMatch(/ok manifests/);
});

test('undeploy has nobody asked before the operator goes, and takes its account away after it', TIMEOUT, async () => {
  const shown = await onPlane('undeploy');
  const lines = shown.split('\n').filter((line) => line.startsWith('- '));
  const kinds = lines.map((line) => line.split(' ')[1]);
  expect(kinds.slice(0, 3)).toEqual(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration', 'Deployment']);
  expect(kinds.indexOf('ServiceAccount')).toBeGreaterThan(kinds.indexOf('Deployment'));
  expect(kinds.at(-1)).toBe('Namespace');
});

test('undeploy names objects that cannot be deleted without the operator', TIMEOUT, async () => {
  const kubectl = await kubectlFor(plane.kubeconfig);
  const apple = join(project, 'held.yaml');
  const metadata = '{ name: held, namespace: default, finalizers: [example.com/market] }';
  writeFileSync(apple, `apiVersion: food.example.com/v1\nkind: Fruit\nmetadata: ${metadata}\nspec: {}\n`);
  await kubectl(`apply -f ${apple}`);
  rmSync(apple);
  expect(await onPlane('undeploy')).toMatch(
    /^Without the operator, these objects cannot be deleted: Fruit default\/held has example\.com\/market\..*kubectl patch /m,
  );
});

test('what Pintle wrote passes its own validation, and objects of the project are known', TIMEOUT, async () => {
  await pintle(project, 'validate -f manifests');
  const fruit = join(project, 'apple.yaml');
  const text = 'apiVersion: food.example.com/v1\nkind: Fruit\nmetadata: { name: apple }\nspec: ';
  writeFileSync(fruit, `${text}{ message: red }\n`);
  expect(await pintle(project, 'validate -f apple.yaml')).toBe('ok apple.yaml: Fruit apple\n');
  writeFileSync(fruit, `${text}{ message: 5 }\n`);
  await expect(pintle(project, 'validate -f apple.yaml')).rejects.toMatchObject({
    stdout: expect.stringContaining('spec.message'),
  });
});

test('deploy refuses nodes that run no images, before it changes anything', TIMEOUT, async () => {
  const processes = await startPintle('--memory', '--nodes', '1', '--kubelet', 'process');
  try {
    const refused = pintle(project, `deploy --kubeconfig ${processes.kubeconfig}`);
    await expect(refused).rejects.toThrow(/Cannot deploy: .*--kubelet process.*pintle run/);
    const { status } = await processes.client.send('GET', '/api/v1/namespaces/fruits-system');
    expect(status).toBe(404);

    // Given a command that fails, the operator is in a crash loop: no success, and its last words are told.
    await pintle(project, `deploy --no-wait --kubeconfig ${processes.kubeconfig}`);
    const command = ['sh', '-c', 'echo Cannot reach the moon; sleep 1; exit 3'];
    const patch = { spec: { template: { spec: { containers: [{ name: 'operator', command }] } } } };
    const kubectl = await kubectlFor(processes.kubeconfig);
    await kubectl(`patch deployment fruits -n fruits-system -p ${JSON.stringify(patch).replaceAll(' ', '\\u0020')}`);
    const failed = pintle(project, `deploy --timeout 10s --kubeconfig ${processes.kubeconfig}`);
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/CrashLoopBackOff[\s\S]*Last lines of the container:\n +Cannot reach the moon/),
    });
  } finally {
    processes.client.close();
    await stopPintle(processes);
  }
});
