import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect, createToken, loadConfig } from '@pintle/client';
import type { Role } from '@pintle/kinds/rbac/v1';
import { parseYaml } from '@pintle/machinery/yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectlFor } from './helpers/kubectl.ts';
import { startPintle, stopPintle } from './helpers/pintle.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const MAIN = join(ROOT, 'packages', 'cli', 'dist', 'main.js');
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const parent = mkdtempSync(join(tmpdir(), 'pintle-rights-'));
const project = join(parent, 'fruits');
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function pintle(command: string, cwd = project): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const env = { ...process.env, VITEST: '', NO_COLOR: '1' };
  return await run(process.execPath, [MAIN, ...command.split(' ')], { cwd, env });
}

function write(path: string, text: string): void {
  mkdirSync(join(project, path, '..'), { recursive: true });
  writeFileSync(join(project, path), text);
}

function read<T>(path: string): T {
  return parseYaml(readFileSync(join(project, path), 'utf8')) as T;
}

/** Follows a kind and applies others that no controller declares, and has pods made by controllers that are not its own. */
const CONTROLLER = `import { Deployment } from '@pintle/kinds/apps/v1';
import { ConfigMap, Secret, Service } from '@pintle/kinds/core/v1';
import type { Manager, ReconcileContext } from '@pintle/operator';
import { Fruit } from './fruit.ts';

export function addFruitController(manager: Manager): void {
  manager.controller(Fruit).owns(ConfigMap).reconcile(async (fruit, ctx) => {
    if (await ctx.finalize('food.example.com/peel', async () => undefined)) return;
    const secret = await ctx.follow(Secret, 'sugar');
    await ctx.apply(ConfigMap, { metadata: { name: \`\${fruit.metadata.name}-label\` } });
    await bake(fruit, ctx);
    await ctx.prune();
    ctx.event('Normal', 'Baked', 'there is a cake');
    ctx.status({ seen: secret === undefined ? 'sour' : 'sweet' });
  });
}

async function bake(fruit: Fruit, ctx: ReconcileContext<Fruit>): Promise<void> {
  const labels = { app: 'cake' };
  await ctx.apply(Deployment, {
    metadata: { name: 'cake' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'cake', image: 'cake' }] } },
    },
  });
  const found = await ctx.client.list(Service, { namespace: fruit.metadata.namespace });
  if (found.some(({ metadata }) => metadata.name === 'old')) ctx.log.info('An old service is there');
}
`;

const CONTROLLER_TEST = `import { Deployment } from '@pintle/kinds/apps/v1';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { startControlPlane } from '@pintle/testing';
import { expect, test } from 'vitest';
import { Fruit } from './fruit.ts';
import { addOperator } from '../operator.ts';

const first = { namespace: 'default', name: 'first' };

test('bakes', async () => {
  await using plane = await startControlPlane({ crds: [Fruit], controllers: ['*'], nodes: 1 });
  plane.operator(addOperator);
  await plane.client.create(Secret, { metadata: { namespace: 'default', name: 'sugar' } });
  await plane.eventually(() => plane.client.create(Fruit, { metadata: first, spec: {} }));
  await plane.untilMatches(Fruit, first, { status: { seen: 'sweet' } });
  await plane.untilMatches(Deployment, { namespace: 'default', name: 'cake' }, { status: { availableReplicas: 1 } });
  expect(await plane.client.find(ConfigMap, { namespace: 'default', name: 'first-label' })).toBeDefined();
});
`;

beforeAll(async () => {
  symlinkSync(join(ROOT, 'node_modules'), join(parent, 'node_modules'));
  await pintle('init fruits --domain example.com --yes', parent);
  await pintle('create api --group food --version v1 --kind Fruit');
  await pintle('create webhook --kind Fruit --validation --conversion');
  await pintle('create api --group food --version v2 --kind Fruit');
  rmSync(join(project, 'src/fruit/fruit-webhooks.test.ts'));
  const main = readFileSync(join(project, 'src/main.ts'), 'utf8');
  write(
    'src/main.ts',
    main.replace("name: 'fruits-webhooks' }", "name: 'fruits-webhooks', port: Number(WEBHOOK_PORT) }"),
  );
  write('src/fruit/fruit-controller.ts', CONTROLLER);
  write('src/fruit/fruit-controller.test.ts', CONTROLLER_TEST);
}, 120_000);

const CLUSTER_ROLE = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'delete', 'list', 'patch', 'watch'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['services'], verbs: ['list'] },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    resourceNames: ['fruits'],
    verbs: ['get', 'patch'],
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    resourceNames: ['fruits.food.example.com'],
    verbs: ['get', 'patch'],
  },
  { apiGroups: ['apps'], resources: ['deployments'], verbs: ['create', 'patch'] },
  { apiGroups: ['food.example.com'], resources: ['fruits'], verbs: ['get', 'list', 'patch', 'watch'] },
  { apiGroups: ['food.example.com'], resources: ['fruits/finalizers'], verbs: ['update'] },
  { apiGroups: ['food.example.com'], resources: ['fruits/status'], verbs: ['patch'] },
];
const ROLE = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  { apiGroups: [''], resources: ['secrets'], resourceNames: ['fruits-webhook-tls'], verbs: ['get', 'update'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update', 'watch'] },
];

test('the roles allow what the operator does, in its sources or seen, and nothing that others do', async () => {
  await pintle('generate manifests');
  expect(read<Role>('manifests/rbac/cluster-role.yaml').rules).toEqual(CLUSTER_ROLE);

  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const { stdout } = await pintle(`observe -- ${process.execPath} ${vitest} run --dir src --testTimeout 60000`);
  expect(stdout).toContain('3 passed');
  const { uses } = read<{ uses: string[] }>('pintle.observed.json');
  expect(uses).toEqual(expect.arrayContaining(['deployments.apps create', 'secrets watch', 'services list']));
  expect(uses.filter((use) => /^(pods|nodes|replicasets|namespaces|endpoints|leases)/.test(use))).toEqual([]);

  expect((await pintle('generate manifests --check')).stderr).toBe('');
  expect(read<Role>('manifests/rbac/cluster-role.yaml').rules).toEqual(CLUSTER_ROLE);
  expect(read<Role>('manifests/rbac/role.yaml').rules).toEqual(ROLE);
  const chart = 'manifests/chart/fruits/templates';
  const [wide, reporting] = readFileSync(join(project, chart, 'rbac-cluster-role.yaml'), 'utf8').split(/ *\{\{- if .*/);
  expect((parseYaml(wide!) as unknown as Role).rules).toEqual(CLUSTER_ROLE);
  expect(parseYaml(reporting!.replace(/ *\{\{- end \}\}/, ''))).toEqual([
    { nonResourceURLs: ['/console/reports', '/console/reports/*'], verbs: ['post'] },
  ]);
  const role = readFileSync(join(project, chart, 'rbac-role.yaml'), 'utf8').replace('{{ .Release.Namespace }}', 'any');
  expect((parseYaml(role) as unknown as Role).rules).toEqual(ROLE);
}, 180_000);

const RIGHTS_TEST = `import { Secret } from '@pintle/kinds/core/v1';
import { startControlPlane, stepped } from '@pintle/testing';
import { expect, test } from 'vitest';
import { Fruit } from './fruit/fruit.ts';
import { addOperator } from './operator.ts';

const first = { namespace: 'default', name: 'first' };

test('the roles of the manifests suffice', async () => {
  await using plane = await startControlPlane({ clock: stepped() });
  await plane.deploy(addOperator);
  await plane.client.create(Secret, { metadata: { namespace: 'default', name: 'sugar' } });
  await plane.client.create(Fruit.versions.v2, { metadata: first, spec: {} });
  await plane.untilMatches(Fruit, first, { status: { seen: 'sweet' } });
  await expect(plane.client.create(Fruit, { metadata: { ...first, name: 'b' }, spec: { message: 'bad' } })).rejects.toThrow();
  plane.requests.assertAllowed({ actor: 'fruits' });
});
`;

test('one call in a test runs the operator under the roles of its manifests', async () => {
  await pintle('generate manifests');
  write('src/rights.test.ts', RIGHTS_TEST);
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const env = { ...process.env, PINTLE_TEST_PATIENCE: '50s' };
  try {
    const args = [vitest, 'run', 'src/rights.test.ts', '--testTimeout', '60000'];
    expect((await run(process.execPath, args, { cwd: project, env })).stdout).toContain('1 passed');
  } finally {
    rmSync(join(project, 'src/rights.test.ts'));
  }
}, 120_000);

test('under these rights alone the operator does its work, and no request of it is refused', async () => {
  await pintle('generate manifests');
  await run(process.execPath, [TSC], { cwd: project });
  const data = join(parent, 'data');
  const plane = await startPintle('--data', data, '--audit-log-mode', 'blocking');
  const kubectl = await kubectlFor(plane.kubeconfig);
  try {
    // Whoever installs is somebody else, who may do everything; the operator is its service account.
    const deploy = `deploy --no-wait --kubeconfig ${plane.kubeconfig}`;
    expect((await pintle(deploy)).stdout).toContain('+ ValidatingWebhookConfiguration fruits\n');
    const port = await freePort();
    // The process runs beside the cluster, not in it: the Service leads to this machine.
    await kubectl('delete service fruits-webhooks -n fruits-system');
    await kubectl('create service externalname fruits-webhooks --external-name localhost -n fruits-system');
    await using operator = await startOperator(plane.kubeconfig, port);
    await operator.logged('Became the leader');
    await kubectl('create secret generic sugar');
    // The server learns of a webhook a moment after it was told.
    await eventually(() => kubectl('apply -f -', fruit('v1', 'apple', 'crisp')));
    await kubectl('wait fruit/apple --for=jsonpath={.status.seen}=sweet --timeout=60s');
    expect(await kubectl('get fruits.v2.food.example.com apple -o jsonpath={.spec.message}')).toBe('crisp');
    await expect(kubectl('apply -f -', fruit('v2', 'pear', 'bad'))).rejects.toThrow('must be nice');
    expect(await kubectl('get configmap apple-label -o name')).toContain('apple-label');
    await kubectl('delete secret sugar');
    await kubectl('wait fruit/apple --for=jsonpath={.status.seen}=sour --timeout=60s');
    await kubectl('delete fruit apple --timeout=60s');
    const trusted = () =>
      kubectl('get validatingwebhookconfiguration fruits -o jsonpath={.webhooks[0].clientConfig.caBundle}');
    const bundle = await trusted();
    expect(bundle).not.toBe('');
    await pintle(deploy);
    expect(await trusted()).toBe(bundle);
    await operator.stop();
    expect(operator.log()).not.toMatch(/forbidden|"level":"(?:warn|error)"/);
    await using beside = await startOperator(plane.kubeconfig, port, { PINTLE_WEBHOOKS: `https://localhost:${port}` });
    await beside.logged('Became the leader');
    await eventually(() => expect(kubectl('apply -f -', fruit('v2', 'pear', 'bad'))).rejects.toThrow('must be nice'));
    await beside.stop();
    expect(beside.log()).not.toMatch(/forbidden|"level":"(?:warn|error)"/);
    expect(await trusted()).toBe(bundle);
  } finally {
    plane.client.close();
    await stopPintle(plane);
  }
  const asked = auditedOf(data, 'system:serviceaccount:fruits-system:fruits');
  expect(asked.filter(({ code }) => code === 403)).toEqual([]);
  expect(asked.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(
    expect.arrayContaining([
      'patch customresourcedefinitions',
      'get mutatingwebhookconfigurations',
      'patch validatingwebhookconfigurations',
      'create secrets',
      'watch secrets',
      'patch deployments',
      'create events',
      'update leases',
    ]),
  );
}, 180_000);

test('a kind that only shows at run time fails with its place until it is declared; what is not needed is told', async () => {
  const helper = `import type { Client } from '@pintle/client';
import { Discovery } from './discovery.ts';

export async function copyAll(client: Client): Promise<void> {
  for (const type of await new Discovery().kinds()) await client.list(type);
}
`;
  const discovery = `import type { ResourceType } from '@pintle/machinery';
export class Discovery {
  async kinds(): Promise<ResourceType[]> {
    return [];
  }
}
`;
  const before = readFileSync(join(project, 'src/operator.ts'), 'utf8');
  const after = (declared: string) =>
    `import { Node, Pod } from '@pintle/kinds/core/v1';\nimport { copyAll } from './copy.ts';\n${before}`.replace(
      'addFruitController(manager);',
      `addFruitController(manager);\n  manager.log.info(String([Node, Pod, copyAll].length));\n  ${declared}`,
    );
  write('src/copy.ts', helper);
  write('src/discovery.ts', discovery);
  write('src/operator.ts', after(''));
  const failed = await pintle('generate manifests --check').catch((error: { stderr: string }) => error);
  expect(failed.stderr).toContain('src/copy.ts:5: client.list(type) needs list');
  expect(failed.stderr).toContain('manager.declare(');
  write('src/operator.ts', after("manager.declare(Pod, ['list']);\n  manager.declare(Node, ['delete']);"));
  const { stderr } = await pintle('generate manifests');
  expect(stderr).toContain('Declared but not used, neither in the sources nor in recorded requests: nodes delete');
  expect(read<Role>('manifests/rbac/cluster-role.yaml').rules).toContainEqual({
    apiGroups: [''],
    resources: ['pods', 'services'],
    verbs: ['list'],
  });
}, 120_000);

/** The operator as a pod would run it, with a token of its service account and nothing else. */
async function startOperator(adminKubeconfig: string, port: number, more: NodeJS.ProcessEnv = {}) {
  const config = await loadConfig({ kubeconfig: adminKubeconfig });
  await using client = await connect(config);
  const { token } = await createToken(client, { namespace: 'fruits-system', name: 'fruits' });
  const admin = parseYaml(readFileSync(adminKubeconfig, 'utf8')) as { clusters: { name: string }[] };
  const KUBECONFIG = join(parent, 'operator.json');
  const context = { cluster: admin.clusters[0]!.name, user: 'operator', namespace: 'fruits-system' };
  writeFileSync(
    KUBECONFIG,
    JSON.stringify({
      ...admin,
      users: [{ name: 'operator', user: { token } }],
      contexts: [{ name: 'operator', context }],
      'current-context': 'operator',
    }),
  );
  const env = { ...process.env, VITEST: '', KUBECONFIG, POD_NAMESPACE: 'fruits-system', WEBHOOK_PORT: `${port}` };
  const child = spawn(process.execPath, ['dist/main.js'], {
    cwd: project,
    env: { ...env, HEALTH_PORT: '0', METRICS_PORT: '0', ...more },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  return {
    log: () => log,
    stop,
    [Symbol.asyncDispose]: stop,
    logged: async (text: string): Promise<void> => {
      while (!log.includes(text)) {
        const isOver = await Promise.race([once(child.stderr, 'data').then(() => false), ended.then(() => true)]);
        if (isOver) throw new Error(`The operator ended: ${log}`);
      }
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = 50; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

function fruit(version: string, name: string, message: string): string {
  return JSON.stringify({
    apiVersion: `food.example.com/${version}`,
    kind: 'Fruit',
    metadata: { name, namespace: 'default' },
    spec: { message },
  });
}

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly objectRef?: { readonly resource?: string; readonly name?: string };
  readonly responseStatus?: { readonly code: number };
}

function auditedOf(data: string, username: string) {
  const lines = readFileSync(join(data, 'audit.log'), 'utf8').trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ user }) => user.username === username)
    .map(({ verb, objectRef, responseStatus }) => ({ verb, ...objectRef, code: responseStatus?.code }));
}

test('sharding in src/main.ts gives the Role the rights of the replicas', async () => {
  const main = readFileSync(join(project, 'src', 'main.ts'), 'utf8');
  const rights = async (): Promise<string[]> => {
    await pintle('generate manifests');
    const { rules = [] } = read<Role>('manifests/rbac/role.yaml');
    return rules.flatMap(({ resources = [], resourceNames, verbs }) =>
      resourceNames === undefined ? [`${resources} ${verbs}`] : [],
    );
  };
  try {
    expect(await rights()).not.toContainEqual(expect.stringContaining('configmaps'));
    write('src/main.ts', main.replace("leaderElection: 'fruits',", "leaderElection: 'fruits',\n  sharding: 'fruits',"));
    expect(await rights()).toEqual(
      expect.arrayContaining([
        'configmaps create,get,list,update,watch',
        'leases create,delete,get,list,patch,update,watch',
      ]),
    );
  } finally {
    write('src/main.ts', main);
  }
}, 240_000);
