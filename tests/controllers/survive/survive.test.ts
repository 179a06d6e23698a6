import { BUILTIN_CONTROLLERS } from '@pintle/controllers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plane } from '../../helpers/plane.ts';
import { openPlane } from '../../helpers/plane.ts';
import { WORKLOADS } from './workloads.ts';
import { runBeside, survive, sweep } from './world.ts';

/** No workload takes more: one that does goes on for ever. */
const MANY_WRITES = 60;
/** A life takes a second; on a machine that others use, some. */
const MANY_LIVES_MS = 120_000;
/** Only tells events, which are nobody's state. */
const WRITES_NOTHING = ['persistentvolume-expander-controller'];

let plane: Plane;

beforeAll(async () => {
  plane = await openPlane();
}, MANY_LIVES_MS);

afterAll(async () => await plane[Symbol.asyncDispose]());

test.each(Object.entries(WORKLOADS))(
  '%s: comes out the same at whichever write its controllers are killed',
  async (name, workload) => {
    const place = name.replaceAll(' ', '-');
    await workload.prepare?.(plane.client);
    {
      await using _beside = await runBeside(plane, workload);
      const whole = await survive(plane, workload, `${place}-0`, Number.POSITIVE_INFINITY);
      expect(whole.writes).toBeGreaterThan(0);
      let write = 0;
      for (let isKilled = true; isKilled; ) {
        const life = await survive(plane, workload, `${place}-${++write}`, write);
        expect(life.state, `killed at write ${write} of about ${whole.writes}`).toEqual(whole.state);
        expect(write).toBeLessThan(MANY_WRITES);
        isKilled = life.writes === write;
      }
    }
    await sweep(plane.client);
  },
  MANY_LIVES_MS,
);

test('no controller is left out', () => {
  const killed = Object.values(WORKLOADS).flatMap(({ controllers }) => controllers);
  expect([...new Set([...killed, ...WRITES_NOTHING])].sort()).toEqual(Object.keys(BUILTIN_CONTROLLERS).sort());
});
