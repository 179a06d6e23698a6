import { FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { validateDns1123Label, validateDns1123Subdomain } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../../generated/flowcontrol/v1.ts';
import { type Check, checkRequired, collect, problems } from '../../common/checks.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkConditionTypes, flowControlRules } from './flow-control-rules.ts';

const path = FieldPath.of('spec');
const maxPrecedence = 10_000;

export const flowSchemaRules: ResourceRules<FlowSchema> = {
  ...flowControlRules,
  default: ({ spec }) => {
    if (spec !== undefined) spec.matchingPrecedence ||= 1000;
  },
  validate: (schema) => collect(checkSchema(schema)),
  validateUpdate: (next) => collect(checkSchema(next)),
  printer: {
    columns: [
      nameColumn,
      column('PriorityLevel'),
      column('MatchingPrecedence'),
      column('DistinguisherMethod'),
      ageColumn,
      column('MissingPL'),
    ],
    row: (schema, context) => [
      nameOf(schema),
      schema.spec?.priorityLevelConfiguration?.name ?? '',
      schema.spec?.matchingPrecedence ?? 0,
      schema.spec?.distinguisherMethod?.type ?? '<none>',
      age(schema, context),
      missingLevel(schema),
    ],
    rank: (schema) => schema.spec?.matchingPrecedence ?? 0,
  },
};

function missingLevel({ status }: FlowSchema): string {
  const dangling = status?.conditions?.find(({ type }) => type === 'Dangling');
  return dangling === undefined ? '?' : (dangling.status ?? '');
}

function* checkSchema({ metadata, spec, status }: FlowSchema): Check {
  if (spec !== undefined) yield* checkSpec(spec, metadata.name ?? '');
  if (spec !== undefined) yield* checkMandatory(spec, metadata.name ?? '');
  yield* checkConditionTypes(status?.conditions ?? []);
}

function* checkSpec(spec: FlowSchemaSpec, name: string): Check {
  const { matchingPrecedence: precedence = 0, distinguisherMethod, priorityLevelConfiguration } = spec;
  const at = path.child('matchingPrecedence');
  if (precedence <= 0) yield invalid(at, precedence, 'must be a positive value');
  if (precedence > maxPrecedence) yield invalid(at, precedence, `must not be greater than ${maxPrecedence}`);
  if (precedence === 1 && name !== 'exempt')
    yield invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  if (distinguisherMethod !== undefined && !['ByNamespace', 'ByUser'].includes(distinguisherMethod.type))
    yield notSupported(path.child('distinguisherMethod', 'type'), { Type: distinguisherMethod.type }, [
      'ByNamespace',
      'ByUser',
    ]);
  const level = priorityLevelConfiguration?.name ?? '';
  const levelPath = path.child('priorityLevelConfiguration', 'name');
  if (level === '') yield required(levelPath, 'must reference a priority level');
  else yield* problems(levelPath, level, validateDns1123Subdomain(level));
  for (const [index, rule] of (spec.rules ?? []).entries()) yield* checkRule(rule, path.child('rules').index(index));
}

const everything: Pick<PolicyRulesWithSubjects, 'resourceRules' | 'nonResourceRules'> = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

function groups(...names: string[]): Subject[] {
  return names.map((name) => ({ kind: 'Group', group: { name } }));
}

/** Two schemas always exist, with a fixed spec. */
const mandatory: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  [
    'exempt',
    {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 1,
      rules: [{ subjects: groups('system:masters'), ...everything }],
    },
  ],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects: groups('system:unauthenticated', 'system:authenticated'), ...everything }],
    },
  ],
]);

function* checkMandatory(spec: FlowSchemaSpec, name: string): Check {
  const fixed = mandatory.get(name);
  if (fixed !== undefined && !deepEqual(spec, fixed))
    yield invalid(path, goSpec(spec), `spec of '${name}' must equal the fixed value`);
}

/** Returns the internal type that Kubernetes prints here: every field, under its Go name. */
function goSpec({
  priorityLevelConfiguration,
  matchingPrecedence,
  distinguisherMethod,
  rules,
}: FlowSchemaSpec): object {
  return {
    PriorityLevelConfiguration: { Name: priorityLevelConfiguration?.name ?? '' },
    MatchingPrecedence: matchingPrecedence ?? 0,
    DistinguisherMethod: distinguisherMethod ? { Type: distinguisherMethod.type } : null,
    Rules: rules?.map(goRule) ?? null,
  };
}

function goRule({ subjects, resourceRules, nonResourceRules }: PolicyRulesWithSubjects): object {
  return {
    Subjects: subjects?.map(goSubject) ?? null,
    ResourceRules:
      resourceRules?.map(({ verbs, apiGroups, resources, clusterScope, namespaces }) => ({
        Verbs: verbs,
        APIGroups: apiGroups,
        Resources: resources,
        ClusterScope: clusterScope ?? false,
        Namespaces: namespaces ?? null,
      })) ?? null,
    NonResourceRules:
      nonResourceRules?.map(({ verbs, nonResourceURLs }) => ({ Verbs: verbs, NonResourceURLs: nonResourceURLs })) ??
      null,
  };
}

function goSubject({ kind, user, group, serviceAccount }: Subject): object {
  return {
    Kind: kind,
    User: user ? { Name: user.name } : null,
    Group: group ? { Name: group.name } : null,
    ServiceAccount: serviceAccount ? { Namespace: serviceAccount.namespace, Name: serviceAccount.name } : null,
  };
}

function* checkRule(rule: PolicyRulesWithSubjects, at: FieldPath): Check {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  for (const [index, subject] of subjects.entries()) yield* checkSubject(subject, at.child('subjects').index(index));
  if (subjects.length === 0) yield required(at.child('subjects'), 'subjects must contain at least one value');
  if (resourceRules.length === 0 && nonResourceRules.length === 0)
    yield required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty');
  for (const [index, item] of resourceRules.entries())
    yield* checkResourceRule(item, at.child('resourceRules').index(index));
  for (const [index, item] of nonResourceRules.entries())
    yield* checkNonResourceRule(item, at.child('nonResourceRules').index(index));
}

const subjectFields = { Group: 'group', ServiceAccount: 'serviceAccount', User: 'user' } as const;

function isSubjectKind(kind: string): kind is keyof typeof subjectFields {
  return Object.hasOwn(subjectFields, kind);
}

function* checkSubject(subject: Subject, at: FieldPath): Check {
  if (!isSubjectKind(subject.kind)) {
    yield notSupported(at.child('kind'), subject.kind, Object.keys(subjectFields));
    return;
  }
  const own = subjectFields[subject.kind];
  const named = subject[own];
  if (named === undefined) yield required(at.child(own), `${own} is required when subject kind is '${subject.kind}'`);
  else yield* checkRequired(at.child(own, 'name'), named.name);
  if (subject.kind === 'ServiceAccount' && subject.serviceAccount !== undefined)
    yield* checkAccount(subject.serviceAccount, at.child('serviceAccount'));
  for (const kind of ['ServiceAccount', 'User', 'Group'] as const) {
    const field = subjectFields[kind];
    if (field !== own && subject[field] !== undefined)
      yield forbidden(at.child(field), `${field} is forbidden when subject kind is not '${kind}'`);
  }
}

function* checkAccount({ name, namespace }: { name: string; namespace: string }, at: FieldPath): Check {
  if (name && name !== '*') yield* problems(at.child('name'), name, validateDns1123Subdomain(name));
  if (namespace) yield* problems(at.child('namespace'), namespace, validateDns1123Label(namespace));
  else yield required(at.child('namespace'), 'must specify namespace for service account');
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

function* checkVerbs(given: readonly string[], at: FieldPath): Check {
  if (given.length === 0) yield required(at, 'verbs must contain at least one value');
  else if (given.includes('*')) yield* checkLoneStar(given, 'verbs', at);
  else if (given.some((verb) => !verbs.includes(verb))) yield notSupported(at, given, verbs);
}

/** A star matches everything, so other values beside it are refused. */
function* checkLoneStar(values: readonly string[], noun: string, at: FieldPath): Check {
  if (values.includes('*') && values.length > 1)
    yield invalid(at, values, `if '*' is present, must not specify other ${noun}`);
}

function* checkResourceRule(rule: ResourcePolicyRule, at: FieldPath): Check {
  const apiGroups = rule.apiGroups ?? [];
  const resources = rule.resources ?? [];
  const namespaces = rule.namespaces ?? [];
  yield* checkVerbs(rule.verbs ?? [], at.child('verbs'));
  if (apiGroups.length === 0)
    yield required(at.child('apiGroups'), 'resource rules must supply at least one api group');
  yield* checkLoneStar(apiGroups, 'api groups', at.child('apiGroups'));
  if (resources.length === 0) yield required(at.child('resources'), 'resource rules must supply at least one resource');
  yield* checkLoneStar(resources, 'resources', at.child('resources'));
  if (namespaces.length === 0 && !rule.clusterScope)
    yield required(
      at.child('namespaces'),
      'resource rules that are not cluster scoped must supply at least one namespace',
    );
  yield* checkLoneStar(namespaces, 'namespaces', at.child('namespaces'));
  if (namespaces.includes('*')) return;
  for (const [index, namespace] of namespaces.entries())
    for (const problem of validateDns1123Label(namespace))
      yield invalid(
        at.child('namespaces').index(index),
        namespace,
        `each member of this list must be '*' or a DNS-1123 label; ${problem}`,
      );
}

function* checkNonResourceRule(rule: NonResourcePolicyRule, at: FieldPath): Check {
  const urls = rule.nonResourceURLs ?? [];
  yield* checkVerbs(rule.verbs ?? [], at.child('verbs'));
  const urlsPath = at.child('nonResourceURLs');
  if (urls.length === 0) yield required(urlsPath, 'nonResourceURLs must contain at least one value');
  yield* checkLoneStar(urls, 'non-resource URLs', urlsPath);
  if (urls.includes('*')) return;
  for (const [index, url] of urls.entries()) {
    const problem = urlProblem(url);
    if (problem !== undefined) yield invalid(urlsPath.index(index), url, problem);
  }
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const star = url.indexOf('*');
  return star !== -1 && (star !== url.length - 1 || !url.endsWith('/*'))
    ? 'wildcard can only do suffix matching'
    : undefined;
}
