export { threadTimer } from './thread-timer.ts';
