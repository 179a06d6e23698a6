import type { CustomResourceSubresourceScale } from '@pintle/kinds/apiextensions/v1';
import type { FieldError } from '@pintle/machinery/errors';
import { invalid } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { nestedInteger, nestedText } from './nested-value.ts';

const MAX_REPLICAS = 2 ** 31 - 1;

/** Checks that the replicas in the spec fit a Scale. */
export function checkScaleSpec(object: JsonObject, { specReplicasPath }: CustomResourceSubresourceScale): FieldError[] {
  return checkReplicas(object, specReplicasPath);
}

/**
 * Checks the replicas in the status and the selector. The selector counts as status wherever it is: a write of the spec
 * may leave a wrong one alone.
 */
export function checkScaleStatus(
  object: JsonObject,
  { statusReplicasPath, labelSelectorPath }: CustomResourceSubresourceScale,
): FieldError[] {
  const errors = checkReplicas(object, statusReplicasPath);
  const selector = labelSelectorPath ? nestedText(object, labelSelectorPath) : undefined;
  if (selector !== undefined && 'problem' in selector) errors.push(invalid(labelSelectorPath!, '', selector.problem));
  return errors;
}

function checkReplicas(object: JsonObject, path: string): FieldError[] {
  const replicas = nestedInteger(object, path);
  if (replicas === undefined) return [];
  if ('problem' in replicas) return [invalid(path, 0, replicas.problem)];
  const { value } = replicas;
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
  return value > MAX_REPLICAS ? [invalid(path, value, `should be less than or equal to ${MAX_REPLICAS}`)] : [];
}
