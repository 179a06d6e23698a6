import { FieldPath, firstWholeListErrors, invalid, required } from '@pintle/machinery/errors';
import type { ResourceRules } from '@pintle/machinery/rules';
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from '../../../generated/core/v1.ts';
import type { Quantity } from '../../../generated/meta/v1.ts';
import { type Check, collect, sortedEntries } from '../../common/checks.ts';
import { keepAllButStatus, keepStatus } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkQuantityOf, compareQuantities, roundUpAmounts } from '../../common/quantities.ts';
import { checkQuotaResourceName, isStandardQuotaName } from '../../common/resource-names.ts';

const specPath = FieldPath.of('spec');
const scopesPath = specPath.child('scopes');

export const resourceQuotaRules: ResourceRules<ResourceQuota> = {
  returnsDeletedObject: true,
  default: ({ spec, status }) => {
    for (const amounts of [spec?.hard, status?.hard, status?.used]) roundUpAmounts(amounts);
  },
  prepareForCreate: (quota) => {
    quota.status = {};
  },
  prepareForUpdate: keepStatus,
  validate: (quota) => collect(checkSpec(quota.spec ?? {})),
  validateUpdate: (next, previous) => collect(checkSpec(next.spec ?? {}), checkSameScopes(next, previous)),
  warnings: (next, previous) => (previous === undefined ? requestWarnings(next.spec?.hard ?? {}) : []),
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      validateUpdate: ({ status }) => [
        ...checkAmounts(status?.hard, FieldPath.of('status', 'hard')),
        ...checkAmounts(status?.used, FieldPath.of('status', 'used')),
      ],
    },
  },
  printer: {
    columns: [nameColumn, column('Request'), column('Limit'), ageColumn],
    row: (quota, context) => [
      nameOf(quota),
      formatUse(quota, (name) => !name.startsWith('limits.')),
      formatUse(quota, (name) => name.startsWith('limits.')),
      age(quota, context),
    ],
  },
};

function* checkSpec(spec: ResourceQuotaSpec): Check {
  yield* checkAmounts(spec.hard, specPath.child('hard'));
  yield* checkScopes(spec);
  if (spec.scopeSelector !== undefined) yield* checkScopeSelector(spec);
}

function* checkAmounts(amounts: Record<string, Quantity> | undefined, path: FieldPath): Check {
  for (const [name, quantity] of sortedEntries(amounts)) {
    yield* checkQuotaResourceName(name, path.key(name));
    yield* checkQuantityOf(name, quantity, path.key(name));
  }
}

const podScopes: readonly string[] = [
  'Terminating',
  'NotTerminating',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
];
const knownScopes: readonly string[] = [...podScopes, 'BestEffort', 'VolumeAttributesClass'];
const existenceScopes = knownScopes.filter((scope) => !['PriorityClass', 'VolumeAttributesClass'].includes(scope));
const exclusiveScopes = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

const podResources = ['cpu', 'memory'].flatMap((name) => [name, `limits.${name}`, `requests.${name}`]);

function fitsScope(scope: string, name: string): boolean {
  if (podScopes.includes(scope)) return name === 'pods' || podResources.includes(name);
  if (scope === 'BestEffort') return name === 'pods';
  if (scope === 'VolumeAttributesClass') return name === 'persistentvolumeclaims' || name === 'requests.storage';
  return true;
}

function misfits(spec: ResourceQuotaSpec, scope: string): string[] {
  return Object.keys(spec.hard ?? {}).filter((name) => isStandardQuotaName(name) && !fitsScope(scope, name));
}

function excludeEachOther(scopes: readonly string[]): number {
  return exclusiveScopes.filter((pair) => pair.every((scope) => scopes.includes(scope))).length;
}

function* checkScopes(spec: ResourceQuotaSpec): Check {
  const scopes: readonly string[] = spec.scopes ?? [];
  yield* firstWholeListErrors(checkEachScope(spec, scopes));
  for (let count = excludeEachOther(scopes); count > 0; count--)
    yield invalid(scopesPath, scopes, 'conflicting scopes');
}

function* checkEachScope(spec: ResourceQuotaSpec, scopes: readonly string[]): Check {
  for (const scope of scopes) {
    if (!knownScopes.includes(scope)) yield invalid(scopesPath, scopes, 'unsupported scope');
    for (const _ of misfits(spec, scope)) yield invalid(scopesPath, scopes, 'unsupported scope applied to resource');
  }
}

function* checkScopeSelector(spec: ResourceQuotaSpec): Check {
  const path = specPath.child('scopeSelector', 'matchExpressions');
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  for (const requirement of requirements) {
    const scope: string = requirement.scopeName;
    if (!knownScopes.includes(scope)) yield invalid(path.child('scopeName'), scope, 'unsupported scope');
    for (const _ of misfits(spec, scope))
      yield invalid(path, goSelector(requirements), 'unsupported scope applied to resource');
    yield* checkScopeOperator(requirement, path);
  }
  for (let count = excludeEachOther(requirements.map(({ scopeName }) => scopeName)); count > 0; count--)
    yield invalid(path, spec.scopes ?? null, 'conflicting scopes');
}

function* checkScopeOperator(requirement: ScopedResourceSelectorRequirement, path: FieldPath): Check {
  const { scopeName, values = [] } = requirement;
  const operator: string = requirement.operator;
  if (existenceScopes.includes(scopeName) && operator !== 'Exists')
    yield invalid(
      path.child('operator'),
      operator,
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
    );
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      yield required(
        path.child('values'),
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      );
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      yield invalid(
        path.child('values'),
        values,
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
      );
  } else {
    yield invalid(path.child('operator'), operator, 'not a valid selector operator');
  }
}

function goSelector(requirements: readonly ScopedResourceSelectorRequirement[]): object {
  return {
    MatchExpressions: requirements.map(({ scopeName, operator, values = null }) => ({
      ScopeName: scopeName,
      Operator: operator,
      Values: values,
    })),
  };
}

function* checkSameScopes(next: ResourceQuota, previous: ResourceQuota): Check {
  const scopes: readonly string[] = next.spec?.scopes ?? [];
  const before: readonly string[] = previous.spec?.scopes ?? [];
  const isSame = scopes.every((scope) => before.includes(scope)) && before.every((scope) => scopes.includes(scope));
  if (!isSame) yield invalid(scopesPath, next.spec?.scopes ?? null, 'field is immutable');
}

/** Warns about a limit below the request, which can never be reached. */
function requestWarnings(hard: Record<string, Quantity>): readonly string[] {
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const isBare = hard[`requests.${name}`] === undefined && (name === 'cpu' || name === 'memory');
    const requestName = isBare ? name : `requests.${name}`;
    const request = hard[requestName];
    const limit = hard[`limits.${name}`];
    if (request === undefined || limit === undefined || compareQuantities(request, limit) <= 0) return [];
    return [`ResourceQuota ${requestName} (${request}) should be less than limits.${name} (${limit})`];
  });
}

function formatUse({ status }: ResourceQuota, isShown: (name: string) => boolean): string {
  return sortedEntries(status?.hard)
    .filter(([name]) => isShown(name))
    .map(([name, hard]) => `${name}: ${status?.used?.[name] ?? '0'}/${hard}`)
    .join(', ');
}
