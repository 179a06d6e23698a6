import { type FieldError, FieldPath, invalid } from '@pintle/machinery/errors';
import { validateConditions } from '@pintle/machinery/names';
import type { Printer, ResourceRules } from '@pintle/machinery/rules';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type { IntOrString } from '../../generated/meta/v1.ts';
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from '../../generated/policy/v1.ts';
import { keepAllButStatus, keepStatus } from '../common/keep-status.ts';
import { isBrokenSelector, nonNegativeFields, shownSelector, supportedValue } from '../common/pod-validation/index.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../common/printers.ts';
import { validateAtMostAll, validateIntOrPercent } from './int-or-percent.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');
const counters = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

export const podDisruptionBudgetRules: ResourceRules<PodDisruptionBudget> = {
  metadataChecks: [],
  tracksGeneration: true,
  unconditionalUpdate: false,
  prepareForCreate(budget) {
    budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  prepareForUpdate: keepStatus,
  validate: ({ spec }) => validateSpec(spec ?? {}, { allowInvalidValues: false }),
  validateUpdate: (next, previous) =>
    validateSpec(next.spec ?? {}, { allowInvalidValues: isBrokenSelector(previous.spec?.selector) }),
  subresources: {
    status: {
      metadataChecks: [],
      prepareForUpdate: keepAllButStatus,
      validateUpdate: ({ status }) => (status === undefined ? [] : validateStatus(status)),
    },
  },
  printer: budgetPrinter(),
};

function validateSpec(spec: PodDisruptionBudgetSpec, rules: { readonly allowInvalidValues: boolean }): FieldError[] {
  const { minAvailable, maxUnavailable } = spec;
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [invalid(specPath, shownSpec(spec), 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...validateBound(minAvailable, specPath.child('minAvailable')),
    ...validateBound(maxUnavailable, specPath.child('maxUnavailable')),
    ...validateLabelSelector(spec.selector, specPath.child('selector'), rules),
    ...supportedValue(
      spec.unhealthyPodEvictionPolicy,
      ['AlwaysAllow', 'IfHealthyBudget'],
      specPath.child('unhealthyPodEvictionPolicy'),
    ),
  ];
}

function validateBound(bound: IntOrString | undefined, path: FieldPath): FieldError[] {
  return bound === undefined ? [] : [...validateIntOrPercent(bound, path), ...validateAtMostAll(bound, path)];
}

/** Kubernetes shows its inner form here: every field, under its name in Go. */
function shownSpec(spec: PodDisruptionBudgetSpec): object {
  return {
    MinAvailable: spec.minAvailable ?? null,
    Selector: shownSelector(spec.selector) ?? null,
    MaxUnavailable: spec.maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
}

function validateStatus(status: PodDisruptionBudgetStatus): FieldError[] {
  return [
    ...validateConditions(status.conditions, statusPath.child('conditions')),
    ...nonNegativeFields(status, counters, statusPath),
  ];
}

function budgetPrinter(): Printer<PodDisruptionBudget> {
  return {
    columns: [
      nameColumn,
      column('Min Available'),
      column('Max Unavailable'),
      column('Allowed Disruptions', 'integer'),
      ageColumn,
    ],
    row: (budget, context) => [
      nameOf(budget),
      String(budget.spec?.minAvailable ?? 'N/A'),
      String(budget.spec?.maxUnavailable ?? 'N/A'),
      budget.status?.disruptionsAllowed ?? 0,
      age(budget, context),
    ],
  };
}
