import { duplicate, type FieldError, type FieldPath, invalid } from '@pintle/machinery/errors';
import type { ContainerResizePolicy } from '../../../generated/core/v1.ts';
import { eachItem, oneOf } from './checks.ts';

const resources = ['cpu', 'memory'];
const restarts = ['NotRequired', 'RestartContainer'];

/** Only a resource named twice is reported at its entry; everything else at the list. */
export function validateResizePolicy(
  policies: readonly ContainerResizePolicy[] | undefined,
  podRestartPolicy: string | undefined,
  path: FieldPath,
): FieldError[] {
  const seen = new Set<string>();
  return eachItem(policies, path, ({ resourceName, restartPolicy }, at) => {
    const errors = seen.has(resourceName) ? [duplicate(at, resourceName)] : [];
    seen.add(resourceName);
    errors.push(...oneOf(resourceName, resources, path), ...oneOf(restartPolicy, restarts, path));
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired')
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    return errors;
  });
}
