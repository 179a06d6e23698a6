import type { Container, ContainerRestartRule, PodSpec } from '../../../generated/core/v1.ts';

/** Whether a container that ended with `exitCode` is started again. Its own rules go before its policy, that before the Pod's. */
export function shouldRestart(container: Container, spec: PodSpec, exitCode: number): boolean {
  if ((container.restartPolicyRules ?? []).some((rule) => matches(rule, exitCode))) return true;
  switch (container.restartPolicy ?? spec.restartPolicy) {
    case 'Always':
      return true;
    case 'OnFailure':
      return exitCode !== 0;
    default:
      return false;
  }
}

/** One container's end can be the reason to start all of them again. */
export function canRestartTogether(spec: PodSpec): boolean {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
}

function matches({ action, exitCodes }: ContainerRestartRule, exitCode: number): boolean {
  if (action !== 'Restart' || exitCodes === undefined) return false;
  const isListed = (exitCodes.values ?? []).includes(exitCode);
  return exitCodes.operator === 'In' ? isListed : exitCodes.operator === 'NotIn' && !isListed;
}
