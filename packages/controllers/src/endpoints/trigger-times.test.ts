import type { Pod, Service } from '@pintle/kinds/core/v1';
import { expect, test } from 'vitest';
import { TRIGGER_TIME, TriggerTimes, withTriggerTime } from './trigger-times.ts';

const service = { metadata: { namespace: 'a', name: 'web', creationTimestamp: at(1) } } as Service;

test('the first change follows from the service, later ones from the first pod that became ready or ceased to be', () => {
  const times = new TriggerTimes();
  expect(times.next(service, [pod('x', 2)])).toBe(at(1));
  expect(times.next(service, [pod('x', 2)])).toBeUndefined();
  expect(times.next(service, [pod('x', 5), pod('y', 4)])).toBe(at(4));
  times.forget(service);
  expect(times.next(service, [])).toBe(at(1));
});

test('a change that has no time takes the old one away', () => {
  expect(withTriggerTime({ note: 'x', [TRIGGER_TIME]: at(1) }, undefined)).toEqual({ note: 'x' });
  expect(withTriggerTime(undefined, at(2))).toEqual({ [TRIGGER_TIME]: at(2) });
});

function at(second: number): string {
  return `2026-01-01T00:00:0${second}Z`;
}

function pod(name: string, readySince: number): Pod {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: at(readySince) }];
  return { metadata: { name }, status: { conditions } } as Pod;
}
