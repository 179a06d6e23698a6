export { formatDuration, parseDuration, parseDurationMs } from './duration.ts';
export { formatAge, humanDuration, shortHumanDuration } from './human-duration.ts';
export {
  dateProblem,
  formatMicroTime,
  formatTime,
  localTimeProblem,
  parseMicroTime,
  parseTime,
} from './rfc3339.ts';
export type { Schedule } from './schedule.ts';
export { parseSchedule, scheduleProblem } from './schedule.ts';
export { isTimeZone, ZonedTime } from './zoned-time.ts';
