import type { PodFailurePolicy, PodFailurePolicyRule } from '@pintle/kinds/batch/v1';
import type { ContainerStatus, Pod } from '@pintle/kinds/core/v1';

/** Decision of a Job's pod failure policy about a pod. */
interface FailureDecision {
  /** `undefined` when no rule matches. */
  readonly action?: PodFailurePolicyRule['action'];
  /** True when the failure counts towards the limits. */
  readonly isCounted: boolean;
  /** Message of the Job's failure, when the policy fails it. */
  readonly jobFailure?: string;
}

/** Applies the first rule that matches. A failure without a rule counts. */
export function matchFailurePolicy(policy: PodFailurePolicy | undefined, pod: Pod): FailureDecision {
  for (const [position, rule] of (policy?.rules ?? []).entries()) {
    const fields = rule.onExitCodes ? matchingExit(rule.onExitCodes, pod) : matchingCondition(rule, pod);
    if (fields === undefined) continue;
    const { action } = rule;
    if (action === 'FailJob')
      return { action, isCounted: true, jobFailure: `${fields} matching ${action} rule at index ${position}` };
    return { action, isCounted: action !== 'Ignore' };
  }
  return { isCounted: true };
}

function matchingExit(
  { containerName, operator, values }: NonNullable<PodFailurePolicyRule['onExitCodes']>,
  { metadata, status }: Pod,
): string | undefined {
  const isMatch = ({ name, state }: ContainerStatus): boolean => {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
    return values.includes(code) === (operator === 'In');
  };
  const found = status?.containerStatuses?.find(isMatch) ?? status?.initContainerStatuses?.find(isMatch);
  if (found === undefined) return undefined;
  const pod = `${metadata.namespace}/${metadata.name}`;
  return `Container ${found.name} for pod ${pod} failed with exit code ${found.state?.terminated?.exitCode}`;
}

function matchingCondition({ onPodConditions = [] }: PodFailurePolicyRule, { metadata, status }: Pod) {
  const found = status?.conditions?.find((condition) =>
    onPodConditions.some(
      (pattern) => pattern.type === condition.type && (pattern.status ?? 'True') === condition.status,
    ),
  );
  return found && `Pod ${metadata.namespace}/${metadata.name} has condition ${found.type}`;
}
