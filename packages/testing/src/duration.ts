import { parseDurationMs } from '@pintle/machinery/time';

/** Milliseconds, or as Go and Kubernetes write it: `10m`, `1h30m`, `500ms`. The longest unit is the hour. */
export type Duration = number | string;

export function toMs(duration: Duration): number {
  if (typeof duration === 'number') return duration;
  try {
    return parseDurationMs(duration);
  } catch (cause) {
    throw new Error(`Cannot read duration "${duration}": write hours, minutes and seconds, as in 36h, 1h30m or 500ms`, {
      cause,
    });
  }
}
