import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Kubectl } from './helpers/kubectl.ts';
import { kubectlFor } from './helpers/kubectl.ts';
import type { RunningPintle } from './helpers/pintle.ts';
import { startPintle, stopPintle } from './helpers/pintle.ts';

let pintle: RunningPintle;
let kubectl: Kubectl;

beforeAll(async () => {
  pintle = await startPintle('--memory');
  kubectl = await kubectlFor(pintle.kubeconfig);
  await kubectl('create namespace shop');
  await kubectl('create configmap menu -n shop --from-literal=dish=soup');
});

afterAll(async () => {
  expect(await stopPintle(pintle)).toBe(0);
});

test('get prints every form', async () => {
  const get = (form: string): Promise<string> => kubectl(`get configmap menu -n shop -o ${form}`);
  expect(await kubectl('get configmap menu -n shop')).toMatch(/NAME +DATA +AGE\nmenu +1 +\d+s/);
  expect(JSON.parse(await get('json')).data).toEqual({ dish: 'soup' });
  expect(await get('yaml')).toContain('data:\n  dish: soup\n');
  expect(await get('name')).toBe('configmap/menu\n');
  expect(await get('wide')).toContain('menu');
  expect(await get('jsonpath={.data.dish}')).toBe('soup');
  expect(await get('go-template={{.data.dish}}')).toBe('soup');
  expect(await get('custom-columns=DISH:.data.dish')).toBe('DISH\nsoup\n');
  expect(await kubectl('get namespaces --sort-by=.metadata.name --no-headers')).toMatch(/^default/);
  expect(await kubectl('get configmaps -A --field-selector metadata.name=menu')).toContain('shop');
});

test('create, label, annotate, describe and delete', async () => {
  const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: written\ndata:\n  a: b\n';
  expect(await kubectl('create -n shop -f -', manifest)).toBe('configmap/written created\n');
  expect(await kubectl('label configmap written -n shop tier=front')).toBe('configmap/written labeled\n');
  expect(await kubectl('annotate configmap written -n shop note=hello')).toBe('configmap/written annotated\n');
  expect(await kubectl('get configmaps -n shop -l tier=front -o name')).toBe('configmap/written\n');
  const described = await kubectl('describe configmap written -n shop');
  expect(described).toContain('tier=front');
  expect(described).toContain('note: hello');
  expect(await kubectl('patch configmap written -n shop --type merge -p {"data":{"a":"c"}}')).toContain('patched');
  expect(await kubectl('get configmap written -n shop -o jsonpath={.data.a}')).toBe('c');
  expect(await kubectl('delete configmap written -n shop')).toContain('configmap "written" deleted');
  await expect(kubectl('get configmap written -n shop')).rejects.toThrow('(NotFound): configmaps "written" not found');
});

test('a mistake is told as Kubernetes tells it', async () => {
  await expect(kubectl('create namespace Shop_1')).rejects.toThrow('a lowercase RFC 1123 label must consist of');
  await expect(kubectl('get nonsense')).rejects.toThrow(`the server doesn't have a resource type "nonsense"`);
});

test('api-resources and api-versions list what there is', async () => {
  expect(await kubectl('api-resources')).toMatch(/configmaps +cm +v1 +true +ConfigMap/);
  expect(await kubectl('api-versions')).toContain('apps/v1');
  expect(await kubectl('version')).toMatch(/Server Version: v1\.36/);
});

test('get -w prints what happens, and wait sees a delete', async () => {
  await kubectl('create configmap seen -n shop');
  const args = ['--kubeconfig', pintle.kubeconfig, 'get', 'configmaps', '-n', 'shop', '-w', '--output-watch-events'];
  const watching = spawn(kubectl.path, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  watching.stdout.on('data', (chunk) => (text += chunk));
  const shows = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(text)) await once(watching.stdout, 'data');
  };
  try {
    await shows(/ADDED +seen/);
    await kubectl('label configmap seen -n shop a=b');
    await shows(/MODIFIED +seen/);
    const waiting = kubectl('wait --for=delete configmap/seen -n shop --timeout=10s');
    await kubectl('delete configmap seen -n shop');
    // Prints nothing when the object was gone before it looked.
    await waiting;
    await shows(/DELETED +seen/);
  } finally {
    watching.kill();
  }
});

test('wait sees a value appear', async () => {
  await kubectl('create configmap slow -n shop');
  const waiting = kubectl('wait --for=jsonpath={.data.state}=done configmap/slow -n shop --timeout=10s');
  await kubectl('patch configmap slow -n shop --type merge -p {"data":{"state":"done"}}');
  expect(await waiting).toBe('configmap/slow condition met\n');
});
