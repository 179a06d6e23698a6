export type { ConsoleOptions, Telemetry } from './console-handler.ts';
export { ConsoleHandler } from './console-handler.ts';
export { ConsoleError } from './errors.ts';
export type { PendingLink } from './links.ts';
