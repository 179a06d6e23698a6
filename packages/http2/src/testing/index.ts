export { FrameLog, PREFACE_BYTES } from './frame-log.ts';
export type { Breach, Duty, DutyOf, End, Reaction } from './rules.ts';
export { BREACHES, breachesFor, DUTIES, dutiesOf, frame, OPEN_STREAM, REQUEST, RESPONSE, ruleOf } from './rules.ts';
