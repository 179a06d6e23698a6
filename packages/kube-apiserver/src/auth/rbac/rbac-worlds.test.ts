import type { UserInfo } from '@pintle/apiserver';
import { toRequest } from '@pintle/apiserver/auth';
import type { RequestInfo } from '@pintle/apiserver/request';
import { encodeObject, objectKey } from '@pintle/apiserver/storage';
import { SeededRandom } from '@pintle/async';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import type { KubernetesObject } from '@pintle/machinery';
import type { Revision, StoreRecord } from '@pintle/store';
import { expect, test } from 'vitest';
import { RBAC_GROUP } from './known-binding.ts';
import { RbacIndex } from './rbac-index.ts';

/**
 * Random worlds of roles, bindings and questions, decided by the index and by the definition of RBAC written out as
 * plainly as can be. The seed is in the name of the test.
 */
const WORLDS = 20_000;
const SEED = 9;

interface World {
  readonly roles: { readonly namespace: string; readonly name: string; readonly rules: PolicyRule[] }[];
  readonly bindings: {
    readonly namespace: string;
    readonly name: string;
    readonly role: { readonly kind: 'Role' | 'ClusterRole'; readonly name: string };
    readonly subjects: { readonly kind: string; readonly name: string; readonly namespace?: string }[];
  }[];
}

const random = new SeededRandom(SEED);
const upTo = (max: number): number => Math.floor(random.next() * (max + 1));
const pick = <T>(items: readonly T[]): T => items[upTo(items.length - 1)]!;
const some = <T>(items: readonly T[], max: number): T[] => Array.from({ length: 1 + upTo(max - 1) }, () => pick(items));

const NAMESPACES = ['', 'a', 'b'];
const GROUPS = ['', 'apps', '*'];
const VERBS = ['get', 'list', 'create', '*'];
const RESOURCES = ['pods', 'pods/log', '*/log', 'pods/*', 'secrets', '*'];
const NAMES = ['x', 'y'];
const PATHS = ['/a', '/a/*', '/b*', '*'];
const ACCOUNT = 'system:serviceaccount:a:robot';

function randomRule(): PolicyRule {
  if (random.next() < 0.2) return { verbs: some(VERBS, 2), nonResourceURLs: some(PATHS, 2) };
  const names = random.next() < 0.3 ? { resourceNames: some(NAMES, 2) } : {};
  return { verbs: some(VERBS, 2), apiGroups: some(GROUPS, 2), resources: some(RESOURCES, 2), ...names };
}

function randomWorld(): World {
  const named = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  return {
    roles: named(2 + upTo(4), (i) => ({
      namespace: pick(NAMESPACES),
      name: `role-${i === 0 ? upTo(2) : i % 3}`,
      rules: named(1 + upTo(3), randomRule),
    })),
    bindings: named(2 + upTo(5), (i) => {
      const namespace = pick(NAMESPACES);
      const kind = namespace === '' ? 'ClusterRole' : pick(['Role', 'ClusterRole'] as const);
      return {
        namespace,
        name: `b-${i === 0 ? upTo(9) : i + 9}`,
        role: { kind, name: `role-${upTo(2)}` },
        subjects: named(1 + upTo(3), randomSubject),
      };
    }),
  };
}

function randomSubject() {
  return pick([
    { kind: 'User', name: 'ann' },
    { kind: 'User', name: 'bob' },
    { kind: 'User', name: ACCOUNT },
    { kind: 'Group', name: 'ann' },
    { kind: 'Group', name: 'growers' },
    { kind: 'ServiceAccount', name: 'robot', namespace: 'a' },
    { kind: 'ServiceAccount', name: 'robot' },
  ]);
}

function randomUser(): UserInfo {
  return { username: pick(['ann', 'bob', ACCOUNT]), groups: random.next() < 0.5 ? ['growers'] : [] };
}

function randomQuestion(): RequestInfo {
  const verb = pick(['get', 'list', 'create', 'watch']);
  if (random.next() < 0.2) return { kind: 'path', verb, path: pick(['/a', '/a/b', '/b', '/bc', '/c']) };
  return toRequest({
    verb,
    group: pick(['', 'apps']),
    resource: pick(['pods', 'secrets']),
    subresource: pick(['', '', 'log']),
    namespace: pick(NAMESPACES),
    name: pick(['', 'x', 'z']),
  });
}

/** The definition: some binding that reaches the question names the user, and some rule of its role covers it. */
function isAllowed({ roles, bindings }: World, user: UserInfo, info: RequestInfo): boolean {
  const where = info.kind === 'resource' ? info.namespace : '';
  return bindings.some((binding) => {
    if (binding.namespace !== '' && binding.namespace !== where) return false;
    const isUser = binding.subjects.some(({ kind, name, namespace }) => {
      if (kind === 'User') return name === user.username;
      if (kind === 'Group') return user.groups.includes(name);
      const home = namespace ?? binding.namespace;
      return home !== '' && user.username === `system:serviceaccount:${home}:${name}`;
    });
    const home = binding.role.kind === 'Role' ? binding.namespace : '';
    const role = roles.findLast(({ namespace, name }) => namespace === home && name === binding.role.name);
    return isUser && role?.rules.some((rule) => isCovered(rule, info)) === true;
  });
}

function isCovered(rule: PolicyRule, info: RequestInfo): boolean {
  const has = (list: readonly string[] = [], text: string): boolean => list.includes('*') || list.includes(text);
  if (!has(rule.verbs, info.verb)) return false;
  if (info.kind === 'path') {
    return (rule.nonResourceURLs ?? []).some(
      (url) => url === info.path || (url.endsWith('*') && info.path.startsWith(url.slice(0, -1))),
    );
  }
  const { resource, subresource } = info;
  const whole = subresource === '' ? [resource] : [`${resource}/${subresource}`, `*/${subresource}`];
  const isNamed = !rule.resourceNames?.length || rule.resourceNames.includes(info.authorizedName);
  return has(rule.apiGroups, info.group) && isNamed && whole.some((text) => has(rule.resources, text));
}

/** The index of a world; some objects are written twice, the first time in a form that must leave no trace. */
function indexOf({ roles, bindings }: World): RbacIndex {
  const index = new RbacIndex();
  for (const role of roles) {
    if (upTo(9) === 0) putRole(index, { ...role, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] });
    putRole(index, role);
  }
  for (const binding of bindings) {
    const everybody = ['ann', 'bob', ACCOUNT].map((name) => ({ kind: 'User', name }));
    if (upTo(9) === 0) index.put(bindingRecord({ ...binding, subjects: everybody }));
    index.put(bindingRecord(binding));
  }
  return index;
}

function bindingRecord({ role, subjects, ...ref }: World['bindings'][number]): StoreRecord {
  const rest = { roleRef: { apiGroup: RBAC_GROUP, ...role }, subjects };
  return ref.namespace === ''
    ? record('ClusterRoleBinding', 'clusterrolebindings', ref, rest)
    : record('RoleBinding', 'rolebindings', ref, rest);
}

function putRole(index: RbacIndex, role: World['roles'][number]): void {
  index.put(roleRecord(role));
}

function roleRecord({ rules, ...ref }: World['roles'][number]): StoreRecord {
  return ref.namespace === ''
    ? record('ClusterRole', 'clusterroles', ref, { rules })
    : record('Role', 'roles', ref, { rules });
}

function record(
  kind: string,
  resource: string,
  metadata: { namespace: string; name: string },
  rest: object,
): StoreRecord {
  const object = { apiVersion: `${RBAC_GROUP}/v1`, kind, metadata, ...rest } as KubernetesObject;
  const key = objectKey({ group: RBAC_GROUP, resource }, metadata.namespace, metadata.name);
  const revision = 1 as Revision;
  return { key, value: encodeObject(object), modRevision: revision, createRevision: revision, version: 1 };
}

function decide(index: RbacIndex, user: UserInfo, info: RequestInfo): boolean {
  return index.reasonFor(user, info) !== undefined;
}

test(`In ${WORLDS} random worlds (seed ${SEED}) the index decides as RBAC is defined, and less rules allow no more`, () => {
  let allowed = 0;
  for (let i = 0; i < WORLDS; i++) {
    const world = randomWorld();
    const index = indexOf(world);
    const questions = Array.from({ length: 5 }, () => ({ user: randomUser(), info: randomQuestion() }));
    const denied = questions.filter(({ user, info }) => {
      const decision = decide(index, user, info);
      if (decision !== isAllowed(world, user, info)) expect({ world, user, info, decision }).toBe('decided otherwise');
      return !decision;
    });
    allowed += questions.length - denied.length;
    // Of two roles of one name the later is in the index.
    const last = world.roles.at(-1)!;
    putRole(index, { ...last, rules: last.rules.slice(1) });
    for (const { user, info } of denied) {
      if (decide(index, user, info)) expect({ world, user, info }).toBe('allowed by less');
    }
  }
  // A world in which everything or nothing is allowed shows little.
  expect(allowed / (WORLDS * 5)).toBeGreaterThan(0.05);
  expect(allowed / (WORLDS * 5)).toBeLessThan(0.95);
}, 60_000);

test(`An index that is told of change after change (seed ${SEED}) decides as one that was made of the outcome`, () => {
  const index = new RbacIndex();
  const roles = new Map<string, World['roles'][number]>();
  const bindings = new Map<string, World['bindings'][number]>();
  for (let i = 0; i < 3_000; i++) {
    const next = randomWorld();
    tell(index, roles, next.roles[0]!, roleRecord);
    tell(index, bindings, next.bindings[0]!, bindingRecord);
    const world = { roles: [...roles.values()], bindings: [...bindings.values()] };
    for (let question = 0; question < 5; question++) {
      const [user, info] = [randomUser(), randomQuestion()];
      const decision = decide(index, user, info);
      if (decision !== isAllowed(world, user, info)) expect({ world, user, info, decision }).toBe('decided otherwise');
    }
  }
});

/** Writes an object, or deletes the one of its name. */
function tell<T extends { readonly namespace: string }>(
  index: RbacIndex,
  present: Map<string, T>,
  next: T,
  toRecord: (object: T) => StoreRecord,
): void {
  const written = toRecord(next);
  const previous = present.get(written.key);
  if (previous !== undefined && random.next() < 0.5) {
    present.delete(written.key);
    index.remove(toRecord(previous));
  } else {
    present.set(written.key, next);
    index.put(written);
  }
}
