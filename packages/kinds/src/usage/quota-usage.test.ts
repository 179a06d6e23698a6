import { parseQuantity } from '@pintle/machinery/quantity';
import { expect, test } from 'vitest';
import type { PersistentVolumeClaim, Pod, ResourceQuota } from '../generated/core/v1.ts';
import { isInScope, missingForQuota } from './quota-usage.ts';

test('where there is a quota of processors or memory every container says what it takes; of other things none has to', () => {
  const pod = { spec: { containers: [{ name: 'app' }] } } as Pod;
  const one = parseQuantity('1');
  const quotaOf = (...names: string[]) => new Map(names.map((name) => [name, one]));
  expect(missingForQuota(pod, quotaOf('requests.cpu', 'limits.memory'))).toBe(
    'limits.memory for: app; requests.cpu for: app',
  );
  expect(missingForQuota(pod, quotaOf('requests.ephemeral-storage', 'limits.ephemeral-storage', 'pods'))).toBe('');
});

test.each<[string, string[], string, string, boolean]>([
  ['Exists', [], 'gold', '', true],
  ['Exists', [], '', '', false],
  ['In', ['gold'], 'gold', '', true],
  ['In', ['gold'], 'iron', 'gold', true],
  ['In', ['gold'], 'iron', '', false],
  ['NotIn', ['gold'], 'iron', '', true],
  ['NotIn', ['gold'], '', '', true],
  ['DoesNotExist', [], '', '', true],
  ['DoesNotExist', [], 'gold', '', false],
])(
  'a quota of claims whose class %s %j counts one of %j, now %j: %s',
  (operator, values, wanted, current, isCounted) => {
    const expression = { scopeName: 'VolumeAttributesClass', operator, values };
    const quota = { spec: { scopeSelector: { matchExpressions: [expression] } } } as ResourceQuota;
    const claim = {
      metadata: {},
      spec: { volumeAttributesClassName: wanted },
      status: { currentVolumeAttributesClassName: current },
    } as PersistentVolumeClaim;
    const counted = { group: '', resource: 'persistentvolumeclaims' };
    expect(isInScope(quota, counted, claim as Parameters<typeof isInScope>[2])).toBe(isCounted);
  },
);
