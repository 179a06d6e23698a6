import { BUILTIN_CONTROLLERS } from '@pintle/controllers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plane } from '../../helpers/plane.ts';
import { openPlane } from '../../helpers/plane.ts';
import { WORKLOADS } from './workloads.ts';
import { runBeside, survive, sweep } from './world.ts';

/** All of the first, where everything begins; of the many that do the same again, some; and the last. */
const FIRST_WRITES = 12;
const LATER_WRITES = 4;
/** A life takes a second; on a machine that others use, some. */
const MANY_LIVES_MS = 120_000;
/** Write once, or nothing, in their main work: there is nothing to be in the middle of. */
const SINGLE = [
  'certificatesigningrequest-approving-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'persistentvolume-expander-controller',
  'token-cleaner-controller',
  'ttl-controller',
];

let plane: Plane;

beforeAll(async () => {
  plane = await openPlane();
});

afterAll(async () => await plane[Symbol.asyncDispose]());

test.each(Object.entries(WORKLOADS))(
  '%s: comes out the same wherever its controllers are killed',
  async (name, workload) => {
    const place = name.replaceAll(' ', '-');
    await workload.prepare?.(plane.client);
    {
      await using _beside = await runBeside(plane, workload);
      const whole = await survive(plane, workload, `${place}-0`, Number.POSITIVE_INFINITY);
      expect(whole.writes).toBeGreaterThan(0);
      for (const write of killedAt(whole.writes)) {
        const { state } = await survive(plane, workload, `${place}-${write}`, write);
        expect(state, `killed at write ${write} of ${whole.writes}`).toEqual(whole.state);
      }
    }
    await sweep(plane.client);
  },
  MANY_LIVES_MS,
);

function killedAt(writes: number): number[] {
  const first = Array.from({ length: Math.min(writes, FIRST_WRITES) }, (_, index) => index + 1);
  const left = writes - first.length;
  const later = Math.min(left, LATER_WRITES);
  return [
    ...first,
    ...Array.from({ length: later }, (_, index) => first.length + Math.ceil((left * (index + 1)) / later)),
  ];
}

test('no controller is left out', () => {
  const killed = Object.values(WORKLOADS).flatMap(({ controllers }) => controllers);
  expect([...new Set([...killed, ...SINGLE])].sort()).toEqual(Object.keys(BUILTIN_CONTROLLERS).sort());
});
