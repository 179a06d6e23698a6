export { explore } from './explore.ts';
export type { FromSchemaOptions } from './inputs/from-schema.ts';
export { fromSchema } from './inputs/from-schema.ts';
export { assertNoFindings, toHaveNoFindings } from './matcher.ts';
export type { Finding, Rule, Violation } from './model/finding.ts';
export type {
  Budget,
  ExploreOptions,
  Ignored,
  Inputs,
  Invariant,
  ProgramOptions,
  Progress,
  Scenario,
  ScenarioContext,
} from './model/options.ts';
export type { FaultKind, Plan, PlanFile, PlannedFault, PointId, ScenarioCut } from './model/plan.ts';
export { describeFault } from './model/plan.ts';
export type { TimelineEvent, Timelines } from './model/timeline.ts';
export { reportHtml } from './report/html.ts';
export { reportJunit } from './report/junit.ts';
export type { Coverage, Report } from './report/report.ts';
export { reportText } from './report/text.ts';
