export { longestComputation } from './longest-computation.ts';
export { threadTimer } from './thread-timer.ts';
