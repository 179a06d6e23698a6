import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { builtinGroups } from '@pintle/kinds/discovery';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import { GenerateError, type UnknownUse } from '../errors.ts';
import { describeUse, OBSERVED_FILE } from '../roles/observed-use.ts';
import { compare, isAllowed, type RoleUse, rulesOf, usesOf } from '../roles/rules.ts';
import type { OperatorFacts } from './load-operator.ts';

/** What an operator is allowed, and where. */
export interface OperatorRoles {
  /** Everywhere. */
  readonly cluster: readonly PolicyRule[];
  /** In the namespace of the operator: its lease and its certificates, and all else when that is all it looks after. */
  readonly own: readonly PolicyRule[];
  /** Seen, and neither declared nor in the sources; allowed nevertheless. */
  readonly onlySeen: readonly RoleUse[];
  /** Declared by hand, and neither in the sources nor seen; allowed nevertheless. */
  readonly unused: readonly RoleUse[];
  /** Calls of kinds that only show when they run, with verbs that nobody declared: what they do is not allowed. */
  readonly unknown: readonly UnknownUse[];
}

/** Reconciles tell events of their objects. */
const EVENTS = { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] };
const LEASES = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['create', 'get', 'update', 'watch'],
};

/** From what its code declares and hands to clients, what its resources need anyway, and what it was seen to do. */
export function operatorRoles(facts: OperatorFacts, { namespaced }: { readonly namespaced: boolean }): OperatorRoles {
  const controlled = facts.definitions.filter(({ metadata }) => facts.controlled.includes(metadata.name ?? ''));
  const declared = [...controlled.flatMap(ownRules), EVENTS, ...facts.rules];
  const own = [LEASES, ...facts.ownRules];
  const { uses: inSources, unknown } = facts.sources;
  const known = [...declared, ...own, ...rulesOf(inSources)];
  const onlySeen = facts.observed.filter((use) => !isDefinition(use) && !isAllowed(use, known));
  const wide = [...usesOf(declared), ...inSources, ...onlySeen];
  const isLocal = (use: RoleUse): boolean => namespaced && isInNamespaces(use, facts.definitions);
  return {
    cluster: rulesOf(wide.filter((use) => !isLocal(use))),
    own: rulesOf([...usesOf(own), ...wide.filter(isLocal)]),
    onlySeen,
    unused: unusedOf(facts),
    unknown: unknown.filter(({ verbs }) => !isDeclaredFor(verbs, facts.declared)),
  };
}

/**
 * A call of a kind that only shows at run time may be of any kind: whoever writes it declares which, and so each of its
 * verbs was declared by hand for some kind.
 */
function isDeclaredFor(verbs: readonly string[], declared: readonly PolicyRule[]): boolean {
  const known = new Set(declared.flatMap((rule) => rule.verbs));
  return declared.length > 0 && verbs.every((verb) => known.has(verb) || known.has('*'));
}

/** Returns rights that were declared by hand and are never used: no call, seen or of an unknown kind, needs them. */
function unusedOf({ declared, sources, observed }: OperatorFacts): RoleUse[] {
  const anyKind = new Set(sources.unknown.flatMap(({ verbs }) => verbs));
  const used = [...sources.uses, ...observed];
  const isUsed = ({ group, resource, verb }: RoleUse): boolean =>
    anyKind.has(verb) ||
    (verb === '*' && anyKind.size > 0) ||
    used.some((each) => isLike(group, each.group) && isLike(resource, each.resource) && isLike(verb, each.verb));
  const unused = usesOf(declared).filter((use) => !isUsed(use));
  return unused.sort((a, b) => compare(a.group, b.group) || compare(a.resource, b.resource) || compare(a.verb, b.verb));
}

function isLike(declared: string, used: string): boolean {
  return declared === '*' || declared === used;
}

/** Returns the rights of a controller to its own objects: reading, finalizers and status. */
function ownRules({ spec: { group, names } }: CustomResourceDefinition): PolicyRule[] {
  const { plural } = names;
  const apiGroups = [group];
  return [
    { apiGroups, resources: [plural], verbs: ['get', 'list', 'watch', 'patch'] },
    { apiGroups, resources: [`${plural}/status`], verbs: ['patch'] },
    // Where servers look at it: a child holds up the end of its owner.
    { apiGroups, resources: [`${plural}/finalizers`], verbs: ['update'] },
  ];
}

/** While it is developed, an operator installs definitions that are missing. On a cluster, whoever deploys it has done so. */
function isDefinition({ group, resource }: RoleUse): boolean {
  return group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions';
}

/** Of what nobody knows, namespaces are assumed: that allows less. */
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
 * Throws UnknownUse with the calls whose rights nobody can tell: a role without them would be too narrow. Tells
 * `onNote` of rights that are allowed and perhaps not needed.
 */
export function checkRights(
  facts: OperatorFacts,
  { namespaced }: { readonly namespaced: boolean },
  onNote?: (text: string) => void,
): void {
  const { unknown, unused, onlySeen } = operatorRoles(facts, { namespaced });
  const { handed } = facts.sources;
  if (unknown.length > 0) throw new GenerateError({ code: 'UnknownUse', uses: unknown });
  if (onlySeen.length > 0)
    onNote?.(
      `Allowed because ${OBSERVED_FILE} has it, and neither declared nor in the sources: ${listOf(onlySeen)}. ` +
        `When it is no longer used, \`pintle observe --replace\` forgets it`,
    );
  if (handed.length > 0 && facts.observed.length === 0 && facts.declared.length === 0) {
    const places = handed.map(({ file, line, call, package: name }) => `${file}:${line} ${call} of ${name}`);
    onNote?.(
      `Other packages are handed a client, and what they do with it is not in these sources: ${places.join(', ')}. ` +
        'Run `pintle observe -- npm test`, or declare it with manager.declare',
    );
  }
  if (unused.length > 0) onNote?.(`Declared, and neither used in the sources nor seen in use: ${listOf(unused)}`);
}

function listOf(uses: readonly RoleUse[]): string {
  return uses.map(describeUse).join(', ');
}
