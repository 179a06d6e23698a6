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
import { checkOptionalChoice, nonNegativeFields } from '../common/checks.ts';
import { isBrokenSelector, shownSelector } from '../common/labels.ts';
import { keepAllButStatus, keepStatus } from '../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../common/printers.ts';
import { validateAtMostAll, validateIntOrPercent } from './rolling-update.ts';

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
    ...checkOptionalChoice(specPath.child('unhealthyPodEvictionPolicy'), spec.unhealthyPodEvictionPolicy, [
      'AlwaysAllow',
      'IfHealthyBudget',
    ]),
  ];
}

function validateBound(bound: IntOrString | undefined, path: FieldPath): FieldError[] {
  return bound === undefined ? [] : [...validateIntOrPercent(bound, path), ...validateAtMostAll(bound, path)];
}

/** Returns the internal type that Kubernetes prints here: every field, under its Go name. */
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
