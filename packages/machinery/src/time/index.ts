export { formatDuration, parseDuration, parseDurationMs } from './duration.ts';
export { formatAge, humanDuration, shortHumanDuration } from './human-duration.ts';
export {
  formatMicroTime,
  formatTime,
  parseMicroTime,
  parseTime,
  whyNoDate,
  whyNoLocalTime,
} from './rfc3339.ts';
export type { Schedule } from './schedule.ts';
export { parseSchedule, scheduleProblem } from './schedule.ts';
export { isTimeZone, ZonedTime } from './zoned-time.ts';
