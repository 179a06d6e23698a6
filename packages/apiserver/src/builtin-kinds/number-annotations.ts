import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import { getPath } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { numberProblem } from '../compat/go-messages.ts';

interface NumberAnnotation {
  readonly name: string;
  /** An empty value counts as absent. */
  readonly mayBeEmpty?: true;
  describe(value: string, problem: string): string;
}

/** Annotations that hold fields of older versions, which Kubernetes parses as numbers. */
const ANNOTATIONS: Readonly<Record<string, NumberAnnotation>> = table({
  'apps/Deployment': {
    name: 'deprecated.deployment.rollback.to',
    mayBeEmpty: true,
    describe: (value, problem) =>
      `failed to parse annotation[deprecated.deployment.rollback.to]=${value} as int64: ${problem}`,
  },
  'apps/DaemonSet': {
    name: 'deprecated.daemonset.template.generation',
    describe: (_value, problem) => problem,
  },
});

/** Throws a TypeError, with the reason as message, when such an annotation is not a number. */
export function checkNumberAnnotations({ group, kind }: GroupVersionKind, object: JsonObject): void {
  const annotation = ANNOTATIONS[`${group}/${kind}`];
  if (annotation === undefined) return;
  const value = getPath(object, 'metadata', 'annotations', annotation.name);
  if (typeof value !== 'string' || (value === '' && annotation.mayBeEmpty)) return;
  const problem = numberProblem(value, 'ParseInt');
  if (problem !== undefined) throw new TypeError(annotation.describe(value, problem));
}
