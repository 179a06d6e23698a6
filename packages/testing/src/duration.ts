import { parseDurationMs } from '@pintle/machinery/time';

/** Milliseconds, or as Go and Kubernetes write it: `10m`, `1h30m`, `500ms`. */
export type Duration = number | string;

export function toMs(duration: Duration): number {
  return typeof duration === 'number' ? duration : parseDurationMs(duration);
}
