import type { ClusterRole, PolicyRule, Subject } from '@pintle/kinds/rbac/v1';
import { table } from '@pintle/machinery/table';
import { CLUSTER_ROLES } from '../../auth/rbac/roles/cluster-roles.ts';
import { CONTROLLER_ROLES } from '../../auth/rbac/roles/controller-roles.ts';
import { NAMESPACED_ROLES } from '../../auth/rbac/roles/namespaced-roles.ts';
import { readRule } from '../../auth/rbac/roles/rule-table.ts';
import type { Seed } from '../seed.ts';
import { seedsOf } from '../seed.ts';
import { bindingUpkeep, roleUpkeep } from './rbac-upkeep.ts';

const GROUP = 'rbac.authorization.k8s.io';
const SYSTEM = 'kube-system';
const clusterRole = seedsOf(GROUP, 'v1', 'clusterroles', 'ClusterRole');
const clusterRoleBinding = seedsOf(GROUP, 'v1', 'clusterrolebindings', 'ClusterRoleBinding');
const role = seedsOf(GROUP, 'v1', 'roles', 'Role');
const roleBinding = seedsOf(GROUP, 'v1', 'rolebindings', 'RoleBinding');
const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };

/** Returns the default roles and bindings, which are updated at every start. */
export function rbacSeeds(): readonly Seed[] {
  made ??= [...clusterRoleSeeds(), ...clusterBindingSeeds(), ...roleSeeds(), ...roleBindingSeeds()];
  return made;
}

/** Shared by all servers of the process. */
let made: readonly Seed[] | undefined;

/** Roles that aggregate the rules of a role. */
const PARTS_OF: Readonly<Record<string, string>> = table({
  'system:aggregate-to-admin': 'admin',
  'system:aggregate-to-edit': 'edit',
  'system:aggregate-to-view': 'view',
  edit: 'admin',
  view: 'edit',
});

/** Ordered so that each aggregates the one before. */
const AGGREGATED = ['view', 'edit', 'admin'];

function clusterRoleSeeds(): Seed[] {
  const seeds = [
    ...Object.entries(CLUSTER_ROLES).map(([name, rules]) => ruleSeed(name, rules.map(readRule))),
    ...Object.entries(CONTROLLER_ROLES).map(([name, rules]) =>
      ruleSeed(`system:controller:${name}`, rules.map(readRule)),
    ),
  ];
  // A controller keeps these up to date; until then they have their initial rules.
  for (const name of AGGREGATED) seeds.push(aggregatedSeed(name, seeds));
  return seeds;
}

function ruleSeed(name: string, rules: readonly PolicyRule[]): Seed {
  return { ...clusterRole(metadataOf(name), { rules }), upkeep: roleUpkeep };
}

function aggregatedSeed(name: string, parts: readonly Seed[]): Seed {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [aggregationLabel(name)]: 'true' } }] };
  const isPart = ({ metadata }: ClusterRole): boolean => PARTS_OF[metadata.name ?? ''] === name;
  const roles = parts.map(({ object }) => object as ClusterRole).filter(isPart);
  const rules = roles
    .sort((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1))
    .flatMap((role) => role.rules ?? []);
  return { ...clusterRole(metadataOf(name), { aggregationRule, rules }), upkeep: roleUpkeep };
}

function metadataOf(name: string, namespace?: string) {
  const whole = PARTS_OF[name];
  const labels = {
    'kubernetes.io/bootstrapping': 'rbac-defaults',
    ...(whole && { [aggregationLabel(whole)]: 'true' }),
  };
  return { name, ...(namespace && { namespace }), labels, annotations };
}

function aggregationLabel(name: string): string {
  return `${GROUP}/aggregate-to-${name}`;
}

const user = (name: string): Subject => ({ kind: 'User', apiGroup: GROUP, name });
const group = (name: string): Subject => ({ kind: 'Group', apiGroup: GROUP, name });
const account = (name: string): Subject => ({ kind: 'ServiceAccount', name, namespace: SYSTEM });

/** Bindings have the names of their roles. */
const CLUSTER_BINDINGS: Readonly<Record<string, readonly Subject[]>> = table({
  'cluster-admin': [group('system:masters')],
  'system:basic-user': [group('system:authenticated')],
  'system:discovery': [group('system:authenticated')],
  'system:kube-controller-manager': [user('system:kube-controller-manager')],
  'system:kube-dns': [account('kube-dns')],
  'system:kube-scheduler': [user('system:kube-scheduler')],
  'system:monitoring': [group('system:monitoring')],
  'system:node': [],
  'system:node-proxier': [user('system:kube-proxy')],
  'system:public-info-viewer': [group('system:authenticated'), group('system:unauthenticated')],
  'system:service-account-issuer-discovery': [group('system:serviceaccounts')],
  'system:volume-scheduler': [user('system:kube-scheduler')],
});

function clusterBindingSeeds(): Seed[] {
  const controllers = Object.keys(CONTROLLER_ROLES).map((name): [string, readonly Subject[]] => [
    `system:controller:${name}`,
    [account(name)],
  ]);
  return [...Object.entries(CLUSTER_BINDINGS), ...controllers].map(([name, subjects]) => ({
    ...clusterRoleBinding(metadataOf(name), bindingTo('ClusterRole', name, subjects)),
    upkeep: bindingUpkeep,
  }));
}

function roleSeeds(): Seed[] {
  return Object.entries(NAMESPACED_ROLES).map(([path, rules]) => {
    const [namespace = '', name = ''] = path.split('/');
    return { ...role(metadataOf(name, namespace), { rules: rules.map(readRule) }), upkeep: roleUpkeep };
  });
}

const READERS = 'extension-apiserver-authentication-reader';
const LEADER = 'system::leader-locking-kube';

function roleBindingSeeds(): Seed[] {
  const signer = 'system:controller:bootstrap-signer';
  const bind = (name: string, subjects: readonly Subject[], namespace = SYSTEM, roleName = name): Seed => ({
    ...roleBinding(metadataOf(name, namespace), bindingTo('Role', roleName, subjects)),
    upkeep: bindingUpkeep,
  });
  const [manager, scheduler] = [user('system:kube-controller-manager'), user('system:kube-scheduler')];
  return [
    bind(signer, [account('bootstrap-signer')], 'kube-public'),
    bind(signer, [account('bootstrap-signer')]),
    bind(`system::${READERS}`, [manager, scheduler], SYSTEM, READERS),
    bind(`${LEADER}-controller-manager`, [
      manager,
      account('kube-controller-manager'),
      account('leader-election-controller'),
    ]),
    bind(`${LEADER}-scheduler`, [scheduler, account('kube-scheduler')]),
    bind('system:controller:cloud-provider', [account('cloud-provider')]),
    bind('system:controller:token-cleaner', [account('token-cleaner')]),
  ];
}

function bindingTo(kind: string, name: string, subjects: readonly Subject[]): object {
  return { ...(subjects.length > 0 && { subjects }), roleRef: { apiGroup: GROUP, kind, name } };
}
