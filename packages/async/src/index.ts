export { abortable, onAbort, onceAborted } from './abort.ts';
export type { Clock, Timer } from './clock.ts';
export type { Random } from './random.ts';
export { realClock } from './real-clock.ts';
export { SeededRandom } from './seeded-random.ts';
export { sleepUntil } from './sleep.ts';
export type { SteppedClockOptions } from './stepped-clock.ts';
export { SteppedClock } from './stepped-clock.ts';
export { systemRandom } from './system-random.ts';
