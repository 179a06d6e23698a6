import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { builtinGroups } from '@pintle/kinds/discovery';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import { GenerateError, type UnknownUse } from '../errors.ts';
import type { Project } from '../project/project.ts';
import { describeUse, OBSERVED_FILE } from '../roles/observed-use.ts';
import { compare, isAllowed, type RoleUse, rulesOf, usesOf } from '../roles/rules.ts';
import type { OperatorFacts } from './load-operator.ts';

/** The rules of an operator. */
export interface OperatorRoles {
  /** Rules for all namespaces. */
  readonly cluster: readonly PolicyRule[];
  /** Rules for the namespace of the operator: its lease and certificates, or all rules of a namespaced operator. */
  readonly own: readonly PolicyRule[];
  /** Recorded, but neither declared nor in the sources. Allowed. */
  readonly onlyObserved: readonly RoleUse[];
  /** Declared by hand, but neither recorded nor in the sources. Allowed. */
  readonly unused: readonly RoleUse[];
  /** Calls with kinds that are only known at run time, and verbs that are not declared. Not allowed. */
  readonly unknown: readonly UnknownUse[];
}

/** Reconciles record events. */
const EVENTS = { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] };
const LEASES = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['create', 'get', 'update', 'watch'],
};

/** Leases of members, and the map of slots. */
const SHARDS: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get', 'list', 'watch', 'update'] },
];

/** Reports to the console: the stream, and the reports of that stream. */
export const TELEMETRY_RULE: PolicyRule = {
  nonResourceURLs: ['/console/reports', '/console/reports/*'],
  verbs: ['post'],
};

/** Settings of a project that change the roles. */
type RoleSettings = Pick<Project, 'namespaced' | 'deployment'>;

/** True when the operator reports to the console: as the settings say, or else the sources. */
export function hasTelemetry({ sources }: OperatorFacts, { deployment }: Pick<Project, 'deployment'>): boolean {
  return deployment?.telemetry ?? sources.hasTelemetry;
}

/** Returns the rules for declared rights, calls in the sources, recorded requests, and the resources of the operator. */
export function operatorRoles(facts: OperatorFacts, project: RoleSettings): OperatorRoles {
  const { namespaced } = project;
  const controlled = facts.definitions.filter(({ metadata }) => facts.controlled.includes(metadata.name ?? ''));
  const declared = [...controlled.flatMap(ownRules), EVENTS, ...facts.rules];
  const own = [LEASES, ...(facts.sources.isSharded ? SHARDS : []), ...facts.ownRules];
  const { uses: inSources, unknown } = facts.sources;
  const known = [...declared, ...own, ...rulesOf(inSources)];
  const onlyObserved = facts.observed.filter((use) => !isDefinition(use) && !isAllowed(use, known));
  const wide = [...usesOf(declared), ...inSources, ...onlyObserved];
  const isLocal = (use: RoleUse): boolean => namespaced && isInNamespaces(use, facts.definitions);
  return {
    cluster: [
      ...rulesOf(wide.filter((use) => !isLocal(use))),
      ...(hasTelemetry(facts, project) ? [TELEMETRY_RULE] : []),
    ],
    own: rulesOf([...usesOf(own), ...wide.filter(isLocal)]),
    onlyObserved,
    unused: unusedOf(facts),
    unknown: unknown.filter(({ verbs }) => !isDeclaredFor(verbs, facts.declared)),
  };
}

/**
 * True when each verb of a call, whose kind is only known at run time, is declared by hand for some kind. The author of such
 * a call has to declare its kinds.
 */
function isDeclaredFor(verbs: readonly string[], declared: readonly PolicyRule[]): boolean {
  const known = new Set(declared.flatMap((rule) => rule.verbs));
  return declared.length > 0 && verbs.every((verb) => known.has(verb) || known.has('*'));
}

/** Verbs of requests. Others, such as `bind` and `impersonate`, are asked for by the server and show in no request. */
const REQUEST_VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', '*'];

/** Returns declared rights that no call in the sources, no recorded request and no call of an unknown kind needs. */
function unusedOf({ declared, sources, observed }: OperatorFacts): RoleUse[] {
  const anyKind = new Set(sources.unknown.flatMap(({ verbs }) => verbs));
  const used = [...sources.uses, ...observed];
  const isUsed = ({ group, resource, verb }: RoleUse): boolean =>
    !REQUEST_VERBS.includes(verb) ||
    anyKind.has(verb) ||
    (verb === '*' && anyKind.size > 0) ||
    used.some((each) => isLike(group, each.group) && isLike(resource, each.resource) && isLike(verb, each.verb));
  const unused = usesOf(declared).filter((use) => !isUsed(use));
  return unused.sort((a, b) => compare(a.group, b.group) || compare(a.resource, b.resource) || compare(a.verb, b.verb));
}

function isLike(declared: string, used: string): boolean {
  return declared === '*' || declared === used;
}

/** Returns the rights of a controller to the objects of its kind: reading, finalizers and status. */
function ownRules({ spec: { group, names } }: CustomResourceDefinition): PolicyRule[] {
  const { plural } = names;
  const apiGroups = [group];
  return [
    { apiGroups, resources: [plural], verbs: ['get', 'list', 'watch', 'patch'] },
    { apiGroups, resources: [`${plural}/status`], verbs: ['patch'] },
    // For servers with OwnerReferencesPermissionEnforcement: an owned object may block the deletion of its owner.
    { apiGroups, resources: [`${plural}/finalizers`], verbs: ['update'] },
  ];
}

/** True for CRDs, which an operator installs only during development; on a cluster they are deployed with it. */
function isDefinition({ group, resource }: RoleUse): boolean {
  return group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions';
}

/** Unknown resources count as namespaced, which allows less. */
function isInNamespaces({ group, resource }: RoleUse, definitions: readonly CustomResourceDefinition[]): boolean {
  const plural = resource.split('/')[0];
  const defined = definitions.find(({ spec }) => spec.group === group && spec.names.plural === plural);
  if (defined !== undefined) return defined.spec.scope === 'Namespaced';
  const known = builtinGroups
    .filter((each) => each.group === group)
    .flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
    .find((each) => each.resource === plural);
  return known?.scope !== 'Cluster';
}

/**
 * Throws UnknownUse with the calls whose rights are unknown: a role without them would be too narrow. Calls `onNote` with
 * rights that are allowed and perhaps not needed.
 */
export function checkRights(facts: OperatorFacts, project: RoleSettings, onNote?: (text: string) => void): void {
  const { cluster, own, unknown, unused, onlyObserved } = operatorRoles(facts, project);
  const { handed } = facts.sources;
  if (unknown.length > 0) throw new GenerateError({ code: 'UnknownUse', uses: unknown });
  if (onlyObserved.length > 0)
    onNote?.(
      `Allowed because of ${OBSERVED_FILE}, but neither declared nor in the sources: ${listOf(onlyObserved)}. ` +
        `To discard old records, run \`pintle observe --replace\``,
    );
  if (handed.length > 0 && facts.observed.length === 0 && facts.declared.length === 0) {
    const locations = handed.map(({ file, line, call, package: name }) => `${file}:${line} ${call} of ${name}`);
    onNote?.(
      `Other packages receive a client, and these sources do not show how they use it: ${locations.join(', ')}. ` +
        'Run `pintle observe -- npm test`, or declare the rights with manager.declare',
    );
  }
  if (unused.length > 0)
    onNote?.(`Declared but not used, neither in the sources nor in recorded requests: ${listOf(unused)}`);
  for (const note of grantNotes([...cluster, ...own])) onNote?.(note);
}

const RBAC = 'rbac.authorization.k8s.io';

/** Objects that grant rights, and what lets an operator grant rights that it does not have. */
const GRANTS = [
  { verb: 'escalate', written: ['clusterroles', 'roles'], declare: "manager.declare(ClusterRole, ['escalate'])" },
  {
    verb: 'bind',
    written: ['clusterrolebindings', 'rolebindings'],
    declare: "manager.declare(ClusterRole, ['bind'], { names: ['NAME'] })",
  },
];

/** Returns a note for each kind of objects that an operator writes and that may grant more than it has. */
function grantNotes(rules: readonly PolicyRule[]): string[] {
  const uses = usesOf(rules).filter(({ group }) => isLike(group, RBAC));
  return GRANTS.flatMap(({ verb, written, declare }) => {
    const isAllowedTo = uses.some(
      (use) => isLike(use.verb, verb) && ['*', 'clusterroles', 'roles'].includes(use.resource),
    );
    const found = uses.filter(
      (use) => written.includes(use.resource) && ['create', 'patch', 'update'].includes(use.verb),
    );
    if (isAllowedTo || found.length === 0) return [];
    const resources = [...new Set(found.map(({ resource }) => resource))].sort().join(' and ');
    return `The operator writes ${resources}: the server refuses rights that the operator does not have, unless it may \`${verb}\`: ${declare}`;
  });
}

function listOf(uses: readonly RoleUse[]): string {
  return uses.map(describeUse).join(', ');
}
