import { chanceSpecimens } from './by-chance.ts';
import type { Specimen } from './cluster.ts';
import { interruptedSpecimens } from './interrupted.ts';
import { leaderSpecimens } from './leaders.ts';
import { loopSpecimens } from './loops.ts';
import { machineSpecimens } from './machines.ts';
import { otherSpecimens } from './others.ts';
import { restartSpecimens } from './restarts.ts';
import { staleSpecimens } from './stale.ts';
import { tenantSpecimens } from './tenants.ts';
import { unseenSpecimens } from './unseen.ts';
import { volumeSpecimens } from './volumes.ts';

export type { Specimen } from './cluster.ts';

/** Small operators with a known mistake each, and their mended twins. */
export const specimens: readonly Specimen[] = [
  ...staleSpecimens,
  ...interruptedSpecimens,
  ...unseenSpecimens,
  ...otherSpecimens,
  ...volumeSpecimens,
  ...tenantSpecimens,
  ...machineSpecimens,
  ...leaderSpecimens,
  ...chanceSpecimens,
  ...loopSpecimens,
  ...restartSpecimens,
];
