import { SteppedClock } from '@pintle/async';
import { Deployment } from '@pintle/kinds/apps/v1';
import { Job } from '@pintle/kinds/batch/v1';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@pintle/kinds/core/v1';
import type { LabelSelector, LabelSelectorRequirement } from '@pintle/machinery/selectors';
import type { Manager } from '@pintle/operator';
import { expect, test } from 'vitest';
import { budgetsOf } from '../disruption/disruption-controller.ts';
import { wouldAdopt } from '../jobs/job-controller.ts';
import { findVolume } from '../volumes/find-volume.ts';
import { ownerRequests, selects } from './owners.ts';
import { selectorOf } from './selectors.ts';

const EVENTS = 20;
const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'x', labels: { zz: 'none' } } };

/** A selector of many values that counts how often somebody goes through them. */
function countedSelector(): { readonly selector: LabelSelector; reads: () => number } {
  let reads = 0;
  const values = Array.from({ length: 1_000 }, (_, index) => String(index));
  const requirement: LabelSelectorRequirement = {
    key: 'zz',
    operator: 'In',
    get values() {
      reads++;
      return values;
    },
  };
  return { selector: { matchExpressions: [requirement] }, reads: () => reads };
}

type Holder = Pick<Manager, 'informers' | 'clock'>;

/** Has every event look at one object with a long selector, and expects that the selector was compiled once. */
function check(handle: (holder: Holder, object: never) => unknown): void {
  const { selector, reads } = countedSelector();
  const metadata = { name: 'a', namespace: 'x' };
  const object = { apiVersion: 'x/v1', kind: 'X', metadata, spec: { selector } };
  const informers = { find: () => ({ cache: { list: () => [object] } }) };
  const holder = { informers, clock: new SteppedClock() } as unknown as Holder;
  for (let i = 0; i < EVENTS; i++) handle(holder, object as never);
  expect(reads()).toBe(1);
}

test('events of pods compile the selector of a disruption budget once', () =>
  check((holder) => budgetsOf(holder, pod)));

test('events of pods compile the selector of a job once', () =>
  check((holder) => ownerRequests(holder, Job, pod, wouldAdopt)));

test('events of children compile the selector of an owner once', () =>
  check((holder) => ownerRequests(holder, Deployment, pod, selects)));

test('the search for a volume compiles the selector of a claim once', () => {
  const volume: PersistentVolume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    status: { phase: 'Available' },
  };
  check((_holder, claim: PersistentVolumeClaim) => findVolume(claim, [volume, volume], { isDelayed: false }));
});

test('an absent selector means nothing, an empty one everything', () => {
  expect(selectorOf(undefined).matches({})).toBe(false);
  expect(selectorOf({}).matches({})).toBe(true);
});
