import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { describeUse } from './observed-use.ts';
import { usesInSources } from './source-uses.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-sources-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(parent, 'node_modules'));

const FRUIT = `import { defineResource } from '@pintle/operator';
export const Fruit = defineResource({ group: 'example.com', version: 'v1', kind: 'Fruit' });
export type Fruit = typeof Fruit.Type;
`;
const HEAD = `import type { Client, CachedClient } from '@pintle/client';
import { waitFor, evict, Informer, SeriesRecorder } from '@pintle/client';
import { ConfigMap, Pod, Secret } from '@pintle/kinds/core/v1';
import { Deployment } from '@pintle/kinds/apps/v1';
import * as batch from '@pintle/kinds/batch/v1';
import type { ResourceType } from '@pintle/machinery';
import type { Manager, ReconcileContext, Reconcile } from '@pintle/operator';
import { Fruit } from './fruit.ts';
`;
let count = 0;

async function found(files: Readonly<Record<string, string>>) {
  const directory = join(parent, `project-${count++}`);
  for (const [path, text] of Object.entries({ 'src/fruit.ts': FRUIT, ...files })) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const { uses, unknown, handed, isSharded, hasTelemetry } = await usesInSources(directory);
  return {
    uses: uses.map(describeUse).sort(),
    isSharded,
    hasTelemetry,
    places: uses.map(({ file, line, call }) => `${file}:${line} ${call}`),
    handed: handed.map(({ line, call, package: name }) => `${line} ${call} ${name}`),
    unknown: unknown.map(({ file, line, call, verbs }) => `${file}:${line} ${call} ${verbs}`),
  };
}

/** Of an operator with this code; what it does not know is left out. */
const check = async (code: string, expected: string, unknown: readonly string[] = []): Promise<void> => {
  const result = await found({ 'src/operator.ts': `${HEAD}${code}` });
  expect(result.uses).toEqual(expected === '' ? [] : expected.split(', '));
  expect(result.unknown).toEqual(unknown);
};

const reconcile = (body: string): string =>
  `export function addOperator(manager: Manager): void {
  manager.controller(Fruit).reconcile(async (fruit, ctx) => { ${body} });
}`;
const OWN = 'fruits.example.com/finalizers update';
const CONTROLLED = ['fruits.example.com list', 'fruits.example.com watch'];

test.each([
  ['a kind that is followed', 'await ctx.follow(Secret, "a");', 'secrets list, secrets watch'],
  ['a kind that is applied', 'await ctx.apply(ConfigMap, {});', `configmaps create, configmaps patch, ${OWN}`],
  ['a member of a namespace', 'await ctx.get(batch.Job, "a");', 'jobs.batch get'],
  ['a version of a resource', 'await ctx.list(Fruit.versions.v1);', 'fruits.example.com list'],
  ['the client of a context', 'await ctx.client.create(Pod, {});', 'pods create'],
  [
    'a client taken out of a context',
    'const { live: direct } = ctx; await direct.deleteAll(Pod);',
    'pods deletecollection',
  ],
  ['a client of metadata', 'await ctx.live.metadataOnly().get(Pod, {});', 'pods get'],
  [
    'a subresource',
    'await ctx.client.patch(Deployment, {}, {}, { subresource: "status" });',
    'deployments.apps/status patch',
  ],
  ['the status', 'ctx.status({});', 'fruits.example.com get, fruits.example.com/status patch'],
  ['a finalizer', 'await ctx.finalize("a", async () => {});', 'fruits.example.com get, fruits.example.com patch'],
  ['an event', 'ctx.event("Normal", "A", "b");', 'events create, events patch'],
  ['a wait', 'await waitFor(ctx.live, Pod, {}, () => true);', 'pods get, pods list, pods watch'],
  ['an eviction', 'await evict(ctx.live, {});', 'pods/eviction create'],
  ['an informer', 'new Informer({ client: ctx.live, type: Pod });', 'pods list, pods watch'],
  [
    'events of a series',
    'new SeriesRecorder({ client: ctx.live });',
    'events.events.k8s.io create, events.events.k8s.io patch',
  ],
  ['kinds in a list', 'for (const kind of [Pod, Secret]) await ctx.live.get(kind, {});', 'pods get, secrets get'],
  [
    'kinds in pairs',
    'for (const [kind, n] of [[Pod, 1], [Secret, 2]]) await ctx.get(kind, n);',
    'pods get, secrets get',
  ],
  ['kinds in a callback', '[Pod, Secret].map((kind) => ctx.list(kind));', 'pods list, secrets list'],
  ['one kind or another', 'await ctx.get(fruit.spec.isPod ? Pod : Secret, "a");', 'pods get, secrets get'],
  [
    'a request by path',
    `await ctx.live.call({ method: 'GET', path: \`/api/v1/namespaces/\${fruit}/pods/b/log\` });`,
    'pods/log get',
  ],
  ['a request that is about no resource', 'await ctx.live.call({ method: "GET", path: "/version" });', ''],
  ['what only looks like it', 'const map = new Map(); map.get("a"); map.delete(fruit); [1].find(Boolean);', ''],
])('%s is found', (_what, body, expected) => {
  const uses = [...new Set([...expected.split(', '), ...CONTROLLED])].filter(Boolean).sort();
  return check(reconcile(body), uses.join(', '));
});

test.each([
  ['of a context', 'async function read(ctx: ReconcileContext<Fruit>) { await ctx.get(Secret, "a"); ctx.status({}); }'],
  [
    'of a constant',
    'const read: Reconcile<Fruit> = async (fruit, ctx) => { await ctx.get(Secret, "a"); ctx.status({}); }',
  ],
])('a function %s is read by its types', (_what, code) =>
  check(code, 'fruits.example.com get, fruits.example.com/status patch, secrets get'),
);

test.each([
  ['a parameter', 'async function read(client: Client) { await client.get(Secret, {}); }'],
  ['a part of a client', 'async function read(client: Pick<CachedClient, "get">) { await client.get(Secret, {}); }'],
  ['a part of options', 'async function read({ client }: { client: Client }) { await client.get(Secret, {}); }'],
  [
    'an interface',
    'interface Options { readonly live: Client } function read(o: Options) { return o.live.get(Secret, {}); }',
  ],
  ['a field', 'class Reader { readonly #client: Client; read() { return this.#client.get(Secret, {}); } }'],
  ['anything at all', 'async function read(something: any) { await something.deep.get(Secret, {}); }'],
  [
    'a kind its callers hand over',
    'function read(c: Client, t: ResourceType) { return c.get(t, {}); } read(null!, Secret);',
  ],
  ['a method', 'class R { read(c: Client, t: ResourceType) { return c.get(t, {}); } } new R().read(null!, Secret);'],
])('%s leads to the kind', (_what, code) => check(code, 'secrets get'));

test('a manager has a client and informers; other clusters have rights of their own', async () => {
  await check(
    `export function addOperator(manager: Manager): void {
  manager.informers.share(Secret);
  manager.client.live.create(Pod, {});
  const remote = manager.cluster('remote', null!);
  remote.client.create(ConfigMap, {});
  remote.informers.share(ConfigMap);
  waitFor(remote.client.live, ConfigMap, {}, () => true);
  const controller = manager.controller(Fruit)
    .watches(ConfigMap, () => [], { informers: remote.informers })
    .reconcile(async () => undefined);
  controller.watchNow(Deployment, () => [], { priority: 1 });
}`,
    [
      'deployments.apps list, deployments.apps watch, fruits.example.com list, fruits.example.com watch',
      'pods create, secrets list, secrets watch',
    ].join(', '),
  );
});

test('what controllers declare is found where the environment decides about it', async () => {
  await check(
    `export function addOperator(manager: Manager): void {
  const builder = manager.controller(Fruit);
  if (process.env.PIES) builder.owns(ConfigMap);
  builder.indexes(Secret, 'name', () => []).reconcile(async () => undefined);
  for (const kind of kindsOf('a file')) manager.controller(kind).owns(kind).reconcile(async () => undefined);
}`,
    [
      'configmaps create, configmaps delete, configmaps list, configmaps patch, configmaps watch',
      'fruits.example.com list, fruits.example.com watch, fruits.example.com/finalizers update, secrets list, secrets watch',
    ].join(', '),
  );
});

test('a kind that only shows at run time is told of, with its place', async () => {
  await check(
    `export async function copy(client: Client, type: ResourceType): Promise<void> {
  await client.get(type, { name: 'a' });
  await client.call({ method: 'POST', path: await somewhere() });
}
async function find(client: Client, name: string) {
  await client.list(await lookUp(name));
}`,
    '',
    [
      'src/operator.ts:10 client.get(type, …) get',
      'src/operator.ts:11 client.call(…) create',
      'src/operator.ts:14 client.list(…) list',
    ],
  );
});

test('a client that is handed to another package is told of', async () => {
  const { handed } = await found({
    'src/operator.ts': `${HEAD}import { copy } from 'copier';
import { join } from 'node:path';
export function addOperator(manager: Manager): void {
  copy({ from: manager.client });
  copy(manager);
  join('a', 'b');
}`,
  });
  expect(handed).toEqual(['12 copy(…) copier']);
});

test('what modern TypeScript writes is read, and methods that call each other by one name come to an end', async () => {
  const classes = Array.from(
    { length: 300 },
    (_, i) => `class C${i} { pass(kinds: ResourceType[], other: C${i}) { other.pass([...kinds, ...kinds], this); } }
new C${i}().pass([Pod], null!);`,
  );
  await check(
    `${classes.join('\n')}
function traced<T>(value: T, _context: unknown): T { return value; }
class Reader {
  @traced async read(client: Client): Promise<void> {
    await using held = { [Symbol.asyncDispose]: async () => undefined };
    await client.get(Secret satisfies ResourceType, held as never);
  }
}`,
    'secrets get',
  );
});

test('what is loaded with the program counts, wherever it stands; tests and other modules do not', async () => {
  const { uses, places } = await found({
    'src/main.ts': `import { addOperator } from './operator.ts';\nimport { Manager } from '@pintle/operator';
import { Node } from '@pintle/kinds/core/v1';
import { defineResource } from '@pintle/operator';
const Local = defineResource({ group: 'example.com', version: 'v1', kind: 'Policy' });
const manager = new Manager();
addOperator(manager);
const { list } = await import('./late.ts');
await list(manager.client);
await manager.client.list(Node);
await manager.client.list(Local);\n`,
    'src/operator.ts': `${HEAD}export * from './kinds.ts';\nimport { Hidden } from './kinds.ts';
import { help } from './help/index.ts';
export function addOperator(manager: Manager): void { help(manager.client, Hidden); }\n`,
    'src/late.ts': `import type { CachedClient } from '@pintle/client';
export async function list(client: CachedClient): Promise<void> {
  const { Pod: Late } = await import('@pintle/kinds/core/v1');
  await client.list(Late);
}\n`,
    'src/kinds.ts': "export { Secret as Hidden } from '@pintle/kinds/core/v1';\n",
    'src/help/index.ts': `import type { CachedClient } from '@pintle/client';\nimport type { ResourceType } from '@pintle/machinery';
export const help = (client: CachedClient, type: ResourceType) => client.find(type, { name: 'a' });\n`,
    'src/operator.test.ts': `${HEAD}declare const client: Client; client.get(ConfigMap, {});\n`,
    'src/unused.ts': `${HEAD}declare const client: Client; client.get(ConfigMap, {});\n`,
  });
  expect(uses).toEqual(['nodes list', 'pods list', 'policies.example.com list', 'secrets get']);
  expect(places).toEqual([
    'src/help/index.ts:3 client.find(type, …)',
    'src/late.ts:4 client.list(Late)',
    'src/main.ts:10 manager.client.list(Node)',
    'src/main.ts:11 manager.client.list(Local)',
  ]);
});

test.each([
  ["{ sharding: 'fruits' }", true],
  ["{ ...(process.env.ALONE ? {} : { sharding: 'fruits' }) }", true],
  ["{ leaderElection: 'fruits' }", false],
])('a manager with %s is sharded: %s', async (options, isSharded) => {
  const main = `import { Manager } from '@pintle/operator';\nawait new Manager(${options}).run();\n`;
  expect((await found({ 'src/main.ts': main })).isSharded).toBe(isSharded);
});

test.each([
  ['{ telemetry: true }', true],
  ['{ ...(process.env.ALONE ? {} : { telemetry: process.env.SEEN === "yes" }) }', true],
  ['{ telemetry: false }', false],
  ["{ leaderElection: 'fruits' }", false],
])('a manager with %s has telemetry: %s', async (options, hasTelemetry) => {
  const main = `import { Manager } from '@pintle/operator';\nawait new Manager(${options}).run();\n`;
  expect((await found({ 'src/main.ts': main })).hasTelemetry).toBe(hasTelemetry);
});
