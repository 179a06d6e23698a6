import {
  BOOL,
  compileExpression,
  type Environment,
  formatType,
  isSameType,
  type PolicyEnvironmentOptions,
  policyEnvironment,
} from '@pintle/cel';
import type { KubernetesObject } from '@pintle/machinery';
import {
  duplicate,
  type FieldPath,
  internal,
  invalid,
  notSupported,
  required,
  tooMany,
} from '@pintle/machinery/errors';
import { pathSegmentName, validateQualifiedName } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type {
  MatchCondition,
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from '../../../generated/admissionregistration/v1.ts';
import { type Check, checkOptionalChoice, checkSetChoice, problems } from '../../common/checks.ts';
import { repeats } from '../../common/lists.ts';
import { typeOf } from './expressions.ts';

/** Rules that webhooks and policies share: the requests that they match. */

export function defaultRules(rules: readonly RuleWithOperations[] | undefined): void {
  for (const rule of rules ?? []) rule.scope ??= '*';
}

export function defaultMatch(match: MatchResources | undefined): void {
  if (match === undefined) return;
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  defaultRules(match.resourceRules);
  defaultRules(match.excludeResourceRules);
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

export function* checkRule(rule: RuleWithOperations, path: FieldPath): Check {
  const { apiGroups = [], apiVersions = [] } = rule;
  const given: readonly string[] = rule.operations ?? [];
  if (given.length === 0) yield required(path.child('operations'));
  yield* checkLoneStar(given, 'operations', path.child('operations'));
  for (const [index, operation] of given.entries())
    if (!operations.includes(operation))
      yield notSupported(path.child('operations').index(index), operation, operations);
  if (apiGroups.length === 0) yield required(path.child('apiGroups'));
  yield* checkLoneStar(apiGroups, 'API groups', path.child('apiGroups'));
  if (apiVersions.length === 0) yield required(path.child('apiVersions'));
  yield* checkLoneStar(apiVersions, 'API versions', path.child('apiVersions'));
  for (const [index, version] of apiVersions.entries())
    if (version === '') yield required(path.child('apiVersions').index(index));
  yield* checkResources(rule.resources ?? [], path.child('resources'));
  yield* checkOptionalChoice(path.child('scope'), rule.scope, ['*', 'Cluster', 'Namespaced']);
}

/** A star matches everything, so other values beside it are refused. */
function* checkLoneStar(values: readonly string[], noun: string, path: FieldPath): Check {
  if (values.length > 1 && values.includes('*'))
    yield invalid(path, values, `if '*' is present, must not specify other ${noun}`);
}

/** Checks resources with and without subresources; refuses those that an earlier one with a star covers. */
function* checkResources(resources: readonly string[], path: FieldPath): Check {
  if (resources.length === 0) yield required(path);
  const allOf = new Set<string>();
  const ofAll = new Set<string>();
  for (const [index, text] of resources.entries()) {
    const at = path.index(index);
    if (text === '') yield required(at);
    const slash = text.indexOf('/');
    if (slash === -1) continue;
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
    if (allOf.has(resource)) yield invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`);
    if (ofAll.has(subresource)) yield invalid(at, text, `if '*/${subresource}' is present, must not specify ${text}`);
    if (subresource === '*') allOf.add(resource);
    if (resource === '*') ofAll.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*'))
    yield invalid(path, resources, "if '*/*' is present, must not specify other resources");
  const last = resources.filter((text) => text !== '' && !text.includes('/')).at(-1);
  if (resources.includes('*') && last !== undefined && last !== '*')
    yield invalid(path, resources, "if '*' is present, must not specify other resources without subresources");
}

export function* checkMatch(match: MatchResources | undefined, path: FieldPath): Check {
  if (match === undefined) return;
  yield* checkSetChoice(path.child('matchPolicy'), match.matchPolicy, ['Equivalent', 'Exact']);
  yield* validateLabelSelector(match.namespaceSelector, path.child('namespaceSelector'));
  yield* validateLabelSelector(match.objectSelector, path.child('objectSelector'));
  for (const field of ['resourceRules', 'excludeResourceRules'] as const)
    for (const [index, rule] of (match[field] ?? []).entries())
      yield* checkNamedRule(rule, path.child(field).index(index));
}

const mutable = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** Deleted objects cannot be mutated. Kubernetes does not report which rule it means. */
export function* checkMutable(match: MatchResources | undefined, path: FieldPath): Check {
  for (const { operations: given = [] } of match?.resourceRules ?? [])
    for (const operation of given ?? [])
      if (!mutable.includes(operation))
        yield notSupported(path.child('resourceRules', 'operations'), operation, mutable);
}

function* checkNamedRule(rule: NamedRuleWithOperations, path: FieldPath): Check {
  const names = rule.resourceNames ?? [];
  const isRepeated = repeats<string>();
  for (const [index, name] of names.entries()) {
    const at = path.child('resourceNames').index(index);
    yield* problems(at, name, pathSegmentName(name, false));
    if (isRepeated(name)) yield duplicate(at, name);
  }
  yield* checkRule(rule, path);
}

const maxConditions = 64;

/** `offered`: variables of the expressions beside the request, its objects and the authorizer. */
export function* checkMatchConditions(
  conditions: readonly MatchCondition[],
  path: FieldPath,
  offered: PolicyEnvironmentOptions = {},
): Check {
  if (conditions.length === 0) return;
  if (conditions.length > maxConditions) {
    yield tooMany(path, conditions.length, maxConditions);
    return;
  }
  const names = new Set<string>();
  const environment = policyEnvironment({ hasAuthorizer: true, hasNamespace: true, ...offered });
  for (const [index, { name, expression }] of conditions.entries()) {
    const at = path.index(index);
    yield* checkCondition(expression.trim(), at.child('expression'), environment);
    if (name === '') yield required(at.child('name'));
    else yield* problems(at.child('name'), name, validateQualifiedName(name));
    if (name !== '' && names.has(name)) yield duplicate(at.child('name'), name);
    names.add(name);
  }
}

function* checkCondition(expression: string, path: FieldPath, environment: Environment): Check {
  if (expression === '') {
    yield required(path);
    return;
  }
  const compiled = compileExpression(expression, environment);
  const type = typeOf(compiled);
  if (type !== undefined && !isSameType(type, BOOL)) {
    yield invalid(path, expression, `must evaluate to bool but got ${formatType(type)}`);
  } else if (!('program' in compiled)) {
    if (compiled.stage === 'compile') yield invalid(path, expression, `compilation failed: ${compiled.error}`);
    else yield internal(path, `program instantiation failed: ${compiled.error}`);
  }
}

const reservedSuffix = '.static.k8s.io';

/** Warns about names that are reserved for configuration from files. */
export function staticNameWarnings({ metadata }: KubernetesObject): string[] {
  if (!metadata.name?.endsWith(reservedSuffix)) return [];
  return [
    `metadata.name: names ending with "${reservedSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ];
}

/** Rules that validating and mutating policies and their bindings share. */
export const policyRules = {
  metadataChecks: ['create'],
  takesAnyFinalizer: true,
  warnings: staticNameWarnings,
  unconditionalUpdate: false,
  tracksGeneration: true,
} as const satisfies ResourceRules;
