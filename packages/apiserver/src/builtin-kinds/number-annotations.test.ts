import { expect, test } from 'vitest';
import { checkNumberAnnotations } from './number-annotations.ts';

const check = (kind: string, name: string, value: string) => () =>
  checkNumberAnnotations({ group: 'apps', version: 'v1', kind }, { metadata: { annotations: { [name]: value } } });

test('an annotation that Kubernetes reads as a number is one', () => {
  const rollback = (value: string) => check('Deployment', 'deprecated.deployment.rollback.to', value);
  expect(rollback('-7')).not.toThrow();
  expect(rollback('')).not.toThrow();
  expect(rollback('x')).toThrow(
    'failed to parse annotation[deprecated.deployment.rollback.to]=x as int64: strconv.ParseInt: parsing "x": invalid syntax',
  );
  const generation = (value: string) => check('DaemonSet', 'deprecated.daemonset.template.generation', value);
  expect(generation('')).toThrow('strconv.ParseInt: parsing "": invalid syntax');
  expect(generation('9223372036854775808')).toThrow('value out of range');
  expect(check('ReplicaSet', 'deprecated.deployment.rollback.to', 'x')).not.toThrow();
});

test.each([
  ['-9223372036854775808', undefined],
  ['+007', undefined],
  ['0', undefined],
  ['9223372036854775808', 'value out of range'],
  ['', 'invalid syntax'],
  ['-', 'invalid syntax'],
  ['9'.repeat(3_000_000), 'value out of range'],
  ['0'.repeat(3_000_000), undefined],
  [`-${'0'.repeat(1_000_000)}x`, 'invalid syntax'],
])('a number annotation is read as Go reads 64 bits, case %#', (value, problem) => {
  const judged = check('DaemonSet', 'deprecated.daemonset.template.generation', value);
  if (problem === undefined) expect(judged).not.toThrow();
  else expect(judged).toThrow(problem);
});
