import type { KubeObject } from '../api/objects.ts';
import { record, recordsIn, textsIn } from '../api/objects.ts';

/** Verb and target of a request. A resource that begins with a slash is a path of the server. */
export interface AccessQuery {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  /** Empty: in all namespaces, or of a kind that has none. */
  readonly namespace: string;
  /** Empty: objects of every name. */
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  /** Of service accounts. */
  readonly namespace: string;
}

/** A subject that may do it, and by what. */
export interface Grant {
  readonly subject: Subject;
  readonly binding: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly role: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** Names that the rule is limited to; empty: every name. */
  readonly names: readonly string[];
}

/** The objects of RBAC, as far as the user may see them. */
export interface RbacObjects {
  readonly roles: readonly KubeObject[];
  readonly clusterRoles: readonly KubeObject[];
  readonly roleBindings: readonly KubeObject[];
  readonly clusterRoleBindings: readonly KubeObject[];
}

/** Returns who may do it by RBAC, users first, each subject once for each binding. */
export function whoCan(deed: AccessQuery, objects: RbacObjects): Grant[] {
  const roles = new Map<string, readonly Rule[]>();
  for (const { metadata, rules } of objects.clusterRoles)
    roles.set(keyOf('ClusterRole', '', metadata.name), rulesIn(rules));
  for (const { metadata, rules } of objects.roles) {
    roles.set(keyOf('Role', metadata.namespace ?? '', metadata.name), rulesIn(rules));
  }
  const isPath = deed.resource.startsWith('/');
  const inNamespace =
    deed.namespace === '' || isPath
      ? []
      : objects.roleBindings.filter(({ metadata }) => metadata.namespace === deed.namespace);
  return [...inNamespace, ...objects.clusterRoleBindings]
    .flatMap((binding) => grantsOf(deed, binding, roles))
    .sort((a, b) => orderOf(a).localeCompare(orderOf(b), 'en'));
}

function grantsOf(deed: AccessQuery, binding: KubeObject, roles: ReadonlyMap<string, readonly Rule[]>): Grant[] {
  const { name, namespace = '' } = binding.metadata;
  const reference = record(binding.roleRef) ?? {};
  const isClusterRole = reference.kind === 'ClusterRole';
  const role = {
    kind: isClusterRole ? 'ClusterRole' : 'Role',
    namespace: isClusterRole ? '' : namespace,
    name: String(reference.name ?? ''),
  };
  const allowing = (roles.get(keyOf(role.kind, role.namespace, role.name)) ?? []).filter((rule) => allows(rule, deed));
  if (allowing.length === 0) return [];
  const isLimited = allowing.every(({ resourceNames }) => resourceNames.length > 0);
  const names = isLimited ? [...new Set(allowing.flatMap(({ resourceNames }) => resourceNames))] : [];
  const by = { kind: namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding', namespace, name };
  return subjectsIn(binding.subjects, namespace).map((subject) => ({ subject, binding: by, role, names }));
}

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

function rulesIn(rules: unknown): Rule[] {
  return recordsIn(rules).map(({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => ({
    verbs: textsIn(verbs),
    apiGroups: textsIn(apiGroups),
    resources: textsIn(resources),
    resourceNames: textsIn(resourceNames),
    nonResourceURLs: textsIn(nonResourceURLs),
  }));
}

/** A rule that is limited to names allows something of any name, which the caller says. */
function allows(rule: Rule, { verb, group, resource, name }: AccessQuery): boolean {
  if (!hasOrStar(rule.verbs, verb)) return false;
  if (resource.startsWith('/')) return rule.nonResourceURLs.some((pattern) => coversPath(pattern, resource));
  if (!hasOrStar(rule.apiGroups, group) || !coversResource(rule.resources, resource)) return false;
  return name === '' || rule.resourceNames.length === 0 || rule.resourceNames.includes(name);
}

function hasOrStar(values: readonly string[], wanted: string): boolean {
  return values.includes('*') || values.includes(wanted);
}

function coversPath(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}

function coversResource(resources: readonly string[], wanted: string): boolean {
  const slash = wanted.indexOf('/');
  return hasOrStar(resources, wanted) || (slash > 0 && resources.includes(`*${wanted.slice(slash)}`));
}

function subjectsIn(subjects: unknown, bindingNamespace: string): Subject[] {
  return recordsIn(subjects).map(({ kind, name, namespace }) => ({
    kind: String(kind ?? ''),
    name: String(name ?? ''),
    namespace: kind === 'ServiceAccount' ? String(namespace ?? bindingNamespace) : '',
  }));
}

function keyOf(kind: string, namespace: string, name: string): string {
  return JSON.stringify([kind, namespace, name]);
}

const KINDS = ['User', 'Group', 'ServiceAccount'];

function orderOf({ subject, binding }: Grant): string {
  return `${KINDS.indexOf(subject.kind)} ${subject.namespace}/${subject.name} ${binding.namespace} ${binding.name}`;
}
