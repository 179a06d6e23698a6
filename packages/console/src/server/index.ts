export type { ConsoleOptions, Telemetry } from './console-handler.ts';
export { ConsoleHandler } from './console-handler.ts';
export { ConsoleError } from './errors.ts';
export type { PendingLink } from './links.ts';
export { ReportStreams } from './report-streams.ts';
export type { OperatorSource } from './telemetry.ts';
export { TelemetryHub } from './telemetry.ts';
