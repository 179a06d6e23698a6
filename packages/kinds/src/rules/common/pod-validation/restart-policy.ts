import { type FieldError, type FieldPath, notSupported, required, tooMany } from '@pintle/machinery/errors';
import type { Container, ContainerRestartRule } from '../../../generated/core/v1.ts';
import { eachItem, isEmpty, supportedValue } from './checks.ts';

const policies = ['Always', 'Never', 'OnFailure'];
const actions = ['Restart', 'RestartAllContainers'];
const operators = ['In', 'NotIn'];
const maxRules = 20;
const maxExitCodes = 255;

/** A container's own restart policy, with the rules that make exceptions to it. */
export function validateRestartPolicy(container: Container, path: FieldPath): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy === undefined && rules.length === 0) return [];
  const rulesPath = path.child('restartPolicyRules');
  return [
    ...validatePolicy(restartPolicy, path.child('restartPolicy')),
    ...(rules.length > maxRules ? [tooMany(rulesPath, rules.length, maxRules)] : []),
    ...eachItem(rules, rulesPath, validateRule),
  ];
}

export function validateInitRestartPolicy(container: Container, path: FieldPath): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy !== undefined) return validateRestartPolicy(container, path);
  return rules.length === 0 ? [] : validatePolicy(restartPolicy, path.child('restartPolicy'));
}

function validatePolicy(policy: string | undefined, path: FieldPath): FieldError[] {
  if (policy === undefined) return [required(path, 'must specify restartPolicy when restart rules are used')];
  return supportedValue(policy, policies, path);
}

function validateRule({ action, exitCodes }: ContainerRestartRule, path: FieldPath): FieldError[] {
  const errors =
    isEmpty(action) || !actions.includes(action) ? [notSupported(path.child('action'), action ?? '', actions)] : [];
  if (exitCodes === undefined) return [...errors, required(path.child('exitCodes'), 'must be specified')];
  const { operator = '', values = [] } = exitCodes;
  if (!operators.includes(operator))
    errors.push(notSupported(path.child('exitCodes', 'operator'), operator, operators));
  if (values.length > maxExitCodes)
    errors.push(tooMany(path.child('exitCodes', 'values'), values.length, maxExitCodes));
  return errors;
}
