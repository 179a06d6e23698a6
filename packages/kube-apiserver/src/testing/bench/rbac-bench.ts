import { generateKeyPairSync } from 'node:crypto';
import type { UserInfo } from '@pintle/apiserver';
import { toRequest } from '@pintle/apiserver/auth';
import { encodeObject, objectKey } from '@pintle/apiserver/storage';
import { realClock, SeededRandom } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import type { Store } from '@pintle/store';
import { openMemoryStore } from '@pintle/store';
import { RbacAuthorizer } from '../../auth/rbac/rbac-authorizer.ts';
import { AccountTokens } from '../../auth/tokens/account-tokens.ts';
import { readTokenKeys } from '../../auth/tokens/token-keys.ts';
import { ADMIN } from '../open-test-server.ts';
import { openTestApi } from '../test-api.ts';

const GROUP = 'rbac.authorization.k8s.io';
const BINDINGS = 10_000;
const NAMESPACES = 500;
const USERS = 200;
const ROLES = 100;
const QUESTIONS = 200_000;

/** Measures decisions with 10,000 bindings, and the authentication of tokens. */
export async function bench(print: (line: string) => void): Promise<void> {
  await using store = await openMemoryStore({ clock: realClock });
  await fill(store);
  const rbac = new RbacAuthorizer(store);
  const stop = new AbortController();
  const startedAt = performance.now();
  await rbac.load();
  print(`load ${BINDINGS} bindings: ${(performance.now() - startedAt).toFixed(0)} ms`);
  const running = rbac.run({ signal: stop.signal });
  const users = Array.from({ length: USERS }, (_, i) => userOf(i));
  const nothing = async (): Promise<void> => undefined;
  const change = (make: typeof changeRole) => async (i: number) => void (await store.commit([make(i % USERS)]));
  const known = (i: number): UserInfo => users[i % USERS]!;
  for (const [name, prepare, who, count] of [
    ['user known', nothing, known, 50_000],
    ['user seen for the first time', nothing, (i: number) => userOf(i % USERS), 50_000],
    ['right after a change of a role', change(changeRole), known, 4_000],
    ['right after a change of a binding', change(changeBinding), known, 4_000],
  ] as const) {
    print(`decision, ${name}: ${await measureDecisions(prepare, (i) => ask(rbac, who(i), i), count)}`);
  }
  print(`token known: ${await measureTokens(store)}`);
  stop.abort();
  await running;
  await benchGet(print);
  await benchFlow(print);
}

const ROUNDS = 20;

/**
 * Measures the same GET with priority and fairness and with plain limits, in turns, because the machine may be busy.
 */
async function benchFlow(print: (line: string) => void): Promise<void> {
  const user = { username: 'jane', groups: ['system:authenticated'] };
  const path = '/api/v1/namespaces/default';
  const request = { method: 'GET', path, query: '', headers: {}, body: new Uint8Array() };
  const signal = new AbortController().signal;
  const authorizer = { authorize: () => ({ allowed: true, reason: '' }) };
  await using fair = await openTestApi({ clock: realClock, authorizer });
  await using plain = await openTestApi({ clock: realClock, authorizer, flow: { isFair: false } });
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, api] of [fair, plain].entries()) {
      const run = async () =>
        void (await api.server.server.handle({ ...request, signal, peer: { address: '', user } }));
      times[i]!.push(await medianOf(run, 3_000));
    }
  }
  const [withFlow, without] = times.map((each) => each.sort((a, b) => a - b)[Math.floor(ROUNDS / 4)]!) as [
    number,
    number,
  ];
  print(`flow control adds to a GET: ${(withFlow - without).toFixed(2)} µs to ${without.toFixed(1)} µs`);
}

async function medianOf(run: () => Promise<void>, count: number): Promise<number> {
  const times = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const before = process.hrtime.bigint();
    await run();
    times[i] = Number(process.hrtime.bigint() - before) / 1000;
  }
  return times.sort()[count / 2]!;
}

/** Measures the same GET in process as system:masters, and with a token whose account has a role. */
async function benchGet(print: (line: string) => void): Promise<void> {
  await using api = await openTestApi();
  const home = '/api/v1/namespaces/default';
  const rbac = `/apis/${GROUP}/v1/namespaces/default`;
  await api.post(`${home}/configmaps`, { metadata: { name: 'c' }, data: { a: 'b' } });
  await api.post(`${home}/serviceaccounts`, { metadata: { name: 'robot' } });
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }];
  await api.post(`${rbac}/roles`, { metadata: { name: 'r' }, rules });
  const subjects = [{ kind: 'ServiceAccount', name: 'robot' }];
  await api.post(`${rbac}/rolebindings`, { metadata: { name: 'b' }, roleRef: { kind: 'Role', name: 'r' }, subjects });
  const { body } = await api.post(`${home}/serviceaccounts/robot/token`, { spec: {} });
  const { token } = body.status as { token: string };
  const request = {
    method: 'GET',
    path: `${home}/configmaps/c`,
    query: '',
    body: new Uint8Array(),
    signal: new AbortController().signal,
  };
  const asMaster = { ...request, headers: {}, peer: { address: '', user: ADMIN } };
  const asRobot = { ...request, headers: { authorization: `Bearer ${token}` }, peer: { address: '' } };
  const send = async (sent: typeof asMaster | typeof asRobot): Promise<void> => {
    const { status } = await api.server.server.handle(sent);
    if (status !== 200) throw new Error(`Cannot measure a GET: the answer was ${status}`);
  };
  print(`GET as a master, in process: ${await measure(() => send(asMaster), 30_000)}`);
  print(`GET by a token and a role: ${await measure(() => send(asRobot), 30_000)}`);
  // In turns, with the first quartile of each, because the machine may be busy.
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    times[0].push(await medianOf(() => send(asMaster), 3_000));
    times[1].push(await medianOf(() => send(asRobot), 3_000));
  }
  const [alone, whole] = times.map((each) => each.sort((a, b) => a - b)[Math.floor(ROUNDS / 4)]!) as [number, number];
  print(`authentication, authorization and flow control add to a GET: ${(whole - alone).toFixed(1)} µs p50`);
}

/** A tenth of the bindings are cluster-wide; users have fifty each, besides those of their groups. */
async function fill(store: Store): Promise<void> {
  const random = new SeededRandom(1);
  const objects: [string, KubernetesObject][] = [];
  for (let i = 0; i < ROLES; i++) {
    objects.push(['clusterroles', roleOf(i)]);
  }
  for (let i = 0; i < BINDINGS; i++) {
    const isCluster = i % 10 === 0;
    const namespace = `ns-${Math.floor(random.next() * NAMESPACES)}`;
    const subjects = [
      { kind: 'User', apiGroup: GROUP, name: `user-${i % USERS}` },
      { kind: 'Group', apiGroup: GROUP, name: `group-${i % 50}` },
    ];
    const rest = { roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: `role-${i % ROLES}` }, subjects };
    const metadata = { name: `binding-${i}`, ...(!isCluster && { namespace }) };
    objects.push(
      isCluster
        ? ['clusterrolebindings', object('ClusterRoleBinding', metadata, rest)]
        : ['rolebindings', object('RoleBinding', metadata, rest)],
    );
  }
  for (let at = 0; at < objects.length; at += 500) {
    await store.commit(objects.slice(at, at + 500).map(([resource, each]) => put({ group: GROUP, resource }, each)));
  }
}

function roleOf(i: number): KubernetesObject {
  const rules = Array.from({ length: 5 }, (_, r) => ({
    apiGroups: ['', 'apps'],
    resources: [`kind-${i}-${r}`, `kind-${i}-${r}/status`, 'pods'],
    verbs: ['get', 'list', `verb-${r}`],
  }));
  return object('ClusterRole', { name: `role-${i}` }, { rules });
}

function object(kind: string, metadata: KubernetesObject['metadata'], rest: object): KubernetesObject {
  return { apiVersion: `${GROUP}/v1`, kind, metadata, ...rest };
}

function put(resource: { readonly group: string; readonly resource: string }, each: KubernetesObject) {
  const key = objectKey(resource, each.metadata.namespace ?? '', each.metadata.name ?? '');
  return { type: 'put' as const, key, value: encodeObject(each) };
}

function userOf(i: number): UserInfo {
  return { username: `user-${i}`, groups: [`group-${i % 50}`, 'system:authenticated'] };
}

/** Half of the requests match no rule, so that all rules are tried. */
async function ask(rbac: RbacAuthorizer, user: UserInfo, i: number): Promise<void> {
  const resource = i % 2 === 0 ? 'pods' : 'secrets';
  const decision = rbac.authorize(
    user,
    toRequest({ verb: 'get', group: '', resource, namespace: `ns-${i % NAMESPACES}` }),
  );
  if ('then' in decision) await decision;
}

async function measure(run: (i: number) => Promise<void>, count = QUESTIONS): Promise<string> {
  for (let i = 0; i < Math.min(count, 20_000); i++) await run(i);
  const times = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const before = process.hrtime.bigint();
    await run(i);
    times[i] = Number(process.hrtime.bigint() - before) / 1000;
  }
  return describe(times);
}

const TURNS = 5;

/** Measures wall time, and undisturbed time: every decision is made five times, and the best counts. */
async function measureDecisions(
  prepare: (i: number) => Promise<void>,
  run: (i: number) => Promise<void>,
  count: number,
): Promise<string> {
  const all = new Float64Array(count * TURNS);
  const best = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  for (let turn = 0; turn < TURNS; turn++) {
    for (let i = 0; i < count; i++) {
      await prepare(i);
      const before = process.hrtime.bigint();
      await run(i);
      const time = Number(process.hrtime.bigint() - before) / 1000;
      all[turn * count + i] = time;
      best[i] = Math.min(best[i]!, time);
    }
  }
  return `${describe(all)}; undisturbed ${describe(best)}`;
}

/** Changes a role or binding that the decision depends on. */
function changeRole(i: number) {
  return put({ group: GROUP, resource: 'clusterroles' }, roleOf(i % ROLES));
}

function changeBinding(i: number) {
  const subjects = [{ kind: 'User', apiGroup: GROUP, name: `user-${i}` }];
  const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: `role-${(i + 1) % ROLES}` };
  const binding = object('ClusterRoleBinding', { name: `moving-${i}` }, { roleRef, subjects });
  return put({ group: GROUP, resource: 'clusterrolebindings' }, binding);
}

async function measureTokens(store: Store): Promise<string> {
  const account = { name: 'robot', uid: 'u1' };
  const metadata = { ...account, namespace: 'default' };
  await store.commit([
    put({ group: '', resource: 'serviceaccounts' }, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }),
  ]);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signing = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const tokens = new AccountTokens({
    issuers: ['me'],
    keys: async () => readTokenKeys({ signing }),
    store,
    clock: realClock,
  });
  const now = Math.floor(Date.now() / 1000);
  const token = await tokens.sign({
    namespace: 'default',
    account,
    audiences: ['me'],
    issuedAt: now,
    notBefore: now,
    expiresAt: now + 3600,
    id: 'x',
    isLegacy: false,
  });
  const request = {
    method: 'GET',
    path: '/',
    query: '',
    headers: { authorization: `Bearer ${token}` },
    body: new Uint8Array(),
    signal: new AbortController().signal,
    peer: { address: '' },
  };
  return await measure(async () => void (await tokens.authenticate(request)), 50_000);
}

function describe(times: Float64Array): string {
  times.sort();
  const at = (share: number): string => `${times[Math.floor(times.length * share)]!.toFixed(1)} µs`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, worst ${times.at(-1)!.toFixed(0)} µs`;
}
