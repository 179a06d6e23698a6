import type { ApprovalState } from '@pintle/kinds/api-approval';
import { approvalOf, isProtectedGroup } from '@pintle/kinds/api-approval';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from '@pintle/kinds/apiextensions/v1';
import { deepEqual } from '@pintle/machinery/json';
import { acceptNames } from './accept-names.ts';
import type { ConditionChange } from './conditions.ts';
import { isTrue, withCondition } from './conditions.ts';

/** Returns the status that a definition should have beside `others`: its accepted names and its conditions. */
export function resolveStatus(
  definition: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
  now: string,
): CustomResourceDefinitionStatus {
  const { accepted, conditions: decided } = hasItsNames(definition)
    ? NOTHING_TO_DECIDE
    : decideNames(definition, others);
  const approval = approvalCondition(definition);
  const changes = approval === undefined ? decided : [...decided, approval];
  const before = definition.status?.conditions ?? [];
  const conditions = changes.reduce((known, condition) => withCondition(known, condition, now), before);
  return { ...definition.status, ...(accepted && { acceptedNames: accepted }), conditions };
}

interface Decision {
  readonly accepted?: CustomResourceDefinitionNames;
  readonly conditions: ConditionChange[];
}

const NOTHING_TO_DECIDE: Decision = { conditions: [] };

/** True when all names are accepted. The status of such a definition is not updated, even when its conditions were edited. */
function hasItsNames({ spec, status }: CustomResourceDefinition): boolean {
  return deepEqual(withoutEmpty(spec.names), withoutEmpty(status?.acceptedNames ?? {}));
}

function withoutEmpty(names: Partial<CustomResourceDefinitionNames>): object {
  return Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined && value.length > 0));
}

function decideNames(definition: CustomResourceDefinition, others: Iterable<CustomResourceDefinition>): Decision {
  const { accepted, conflict } = acceptNames(definition, others);
  const conditions: ConditionChange[] = [
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...conflict },
  ];
  if (!isTrue(definition, 'Established')) conditions.push(conflict === undefined ? ESTABLISHED : NOT_ESTABLISHED);
  return { accepted, conditions };
}

const ESTABLISHED: ConditionChange = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const NOT_ESTABLISHED: ConditionChange = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};

const APPROVAL_REASONS: Readonly<Record<ApprovalState, string>> = {
  missing: 'MissingAnnotation',
  invalid: 'InvalidAnnotation',
  bypassed: 'UnapprovedAnnotation',
  approved: 'ApprovedAnnotation',
};

function approvalCondition({ metadata, spec }: CustomResourceDefinition): ConditionChange | undefined {
  if (!isProtectedGroup(spec.group)) return undefined;
  const { state, reason: message } = approvalOf(metadata.annotations);
  return {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: state === 'approved' ? 'True' : 'False',
    reason: APPROVAL_REASONS[state],
    message,
  };
}
