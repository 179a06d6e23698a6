import { parseQuantity } from '@pintle/machinery/quantity';
import { expect, test } from 'vitest';
import type { Pod } from '../generated/core/v1.ts';
import { missingForQuota } from './quota-usage.ts';

test('where there is a quota of processors or memory every container says what it takes; of other things none has to', () => {
  const pod = { spec: { containers: [{ name: 'app' }] } } as Pod;
  const one = parseQuantity('1');
  const quotaOf = (...names: string[]) => new Map(names.map((name) => [name, one]));
  expect(missingForQuota(pod, quotaOf('requests.cpu', 'limits.memory'))).toBe(
    'limits.memory for: app; requests.cpu for: app',
  );
  expect(missingForQuota(pod, quotaOf('requests.ephemeral-storage', 'limits.ephemeral-storage', 'pods'))).toBe('');
});
