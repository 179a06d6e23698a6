export type { Clock, Timer } from './clock.ts';
export type { Random } from './random.ts';
