import type { Taint, Toleration } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { tolerates } from './nodes.ts';

const taint: Taint = { key: 'speed', value: '5', effect: 'NoExecute' };

test.each<[Toleration, boolean]>([
  [{ operator: 'Exists' }, true],
  [{ operator: 'Exists', effect: 'NoSchedule' }, false],
  [{ key: 'speed', operator: 'Exists' }, true],
  [{ key: 'other', operator: 'Exists' }, false],
  [{ key: 'speed', operator: 'Equal', value: '5' }, true],
  [{ key: 'speed', value: '5', effect: 'NoExecute' }, true],
  [{ key: 'speed', value: '6' }, false],
  [{}, false],
  [{ key: 'speed', operator: 'Gt', value: '4' }, true],
  [{ key: 'speed', operator: 'Gt', value: '5' }, false],
  [{ key: 'speed', operator: 'Lt', value: '6' }, true],
  [{ key: 'speed', operator: 'Lt', value: 'fast' }, false],
])('%j tolerates speed=5:NoExecute: %s', (toleration, isTolerated) => {
  expect(tolerates(toleration, taint)).toBe(isTolerated);
});
