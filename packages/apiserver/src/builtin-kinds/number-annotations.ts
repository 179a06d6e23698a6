import type { GroupVersionKind } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import { getPath } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';

interface NumberAnnotation {
  readonly name: string;
  /** Empty is as good as not there. */
  readonly mayBeEmpty?: true;
  describe(value: string, problem: string): string;
}

/** Fields of older versions that live on as annotations, and are numbers to Kubernetes. */
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

/** Throws with the reason as message when an annotation that is a number is none. */
export function checkNumberAnnotations({ group, kind }: GroupVersionKind, object: JsonObject): void {
  const annotation = ANNOTATIONS[`${group}/${kind}`];
  if (annotation === undefined) return;
  const value = getPath(object, 'metadata', 'annotations', annotation.name);
  if (typeof value !== 'string' || (value === '' && annotation.mayBeEmpty)) return;
  const problem = integerProblem(value);
  if (problem === undefined) return;
  const words = `strconv.ParseInt: parsing ${JSON.stringify(value)}: ${problem}`;
  throw new TypeError(annotation.describe(value, words));
}

/** Of a 64-bit integer. */
const MAX_DIGITS = 19;

function integerProblem(text: string): string | undefined {
  const [, sign, digits] = /^([+-]?)0*(\d*)$/.exec(text) ?? [];
  if (sign === undefined || digits === undefined || text === sign) return 'invalid syntax';
  // What is longer is not read as a number: that takes long where there are millions of digits.
  if (digits.length > MAX_DIGITS) return 'value out of range';
  const value = BigInt(`${sign === '-' ? '-' : ''}${digits || '0'}`);
  return BigInt.asIntN(64, value) === value ? undefined : 'value out of range';
}
