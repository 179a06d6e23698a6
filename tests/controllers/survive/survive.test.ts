import { BUILTIN_CONTROLLERS } from '@pintle/controllers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plane } from '../../helpers/plane.ts';
import { openPlane } from '../../helpers/plane.ts';
import { WORKLOADS } from './workloads.ts';
import { runBeside, survive, sweep } from './world.ts';

/** Later writes do the same again. */
const MAX_WRITES = 12;
/** Write once, or nothing, in their main work: there is nothing to be in the middle of. */
const SINGLE = [
  'certificatesigningrequest-approving-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'persistentvolume-expander-controller',
  'token-cleaner-controller',
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
      for (let write = 1; write <= Math.min(whole.writes, MAX_WRITES); write++) {
        const { state } = await survive(plane, workload, `${place}-${write}`, write);
        expect(state, `killed at write ${write} of ${whole.writes}`).toEqual(whole.state);
      }
    }
    await sweep(plane.client);
  },
);

test('no controller is left out', () => {
  const killed = Object.values(WORKLOADS).flatMap(({ controllers }) => controllers);
  expect([...new Set([...killed, ...SINGLE])].sort()).toEqual(Object.keys(BUILTIN_CONTROLLERS).sort());
});
