import { CelError, type RuleTrial, tryRule, valueToJson } from '@pintle/cel';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { parseSchema } from '@pintle/machinery/schema';
import { printJson } from '../api/http.ts';
import type { Json } from '../api/objects.ts';
import type { ValueAt } from './rule-places.ts';

/** Where an expression does not compile; line and column begin at 1. */
export interface RuleIssue {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface RuleOutcome {
  readonly path: string;
  /** `skipped`: a rule on what was there before does not run for a new value. */
  readonly state: 'true' | 'false' | 'value' | 'error' | 'skipped';
  readonly text: string;
  readonly cost: number;
}

export interface TriedRule {
  readonly issues: readonly RuleIssue[];
  readonly type: string;
  /** Maximum cost by the schema; absent without one. */
  readonly maxCost: number | undefined;
  readonly outcomes: readonly RuleOutcome[];
}

interface Trial {
  readonly source: string;
  /** The schema of the place that the rule stands at, as a definition has it. */
  readonly schema: Json | undefined;
  readonly isRoot: boolean;
  readonly values: readonly ValueAt[];
}

/** Compiles and evaluates a rule with the code that the server has, in the page. */
export function triedRule({ source, schema, isRoot, values }: Trial): TriedRule {
  const parsed = schema === undefined ? undefined : parseSchema(schema as JsonObject);
  const trial = tryRule(source, { schema: parsed, isResourceRoot: isRoot });
  if (typeof trial === 'string') return { issues: issuesIn(trial), type: '', maxCost: undefined, outcomes: [] };
  const outcomes = values.map((at) => outcomeOf(trial, at));
  return { issues: [], type: trial.type, maxCost: trial.maxCost, outcomes };
}

function outcomeOf(trial: RuleTrial, { path, value, before }: ValueAt): RuleOutcome {
  if (trial.usesOldSelf && before === undefined) {
    return { path, state: 'skipped', text: 'oldSelf: there was no value before', cost: 0 };
  }
  const { value: result, cost } = trial.evaluate(value as JsonValue, before as JsonValue | undefined);
  if (result instanceof CelError) return { path, state: 'error', text: result.message, cost };
  if (typeof result === 'boolean') return { path, state: result ? 'true' : 'false', text: String(result), cost };
  const json = valueToJson(result);
  if (json instanceof CelError) return { path, state: 'error', text: json.message, cost };
  return { path, state: 'value', text: printJson(json as Json), cost };
}

/** Reads the texts of the compiler, which has a line and a marker for each error. */
function issuesIn(text: string): RuleIssue[] {
  const issues = [...text.matchAll(/^ERROR: <input>:(\d+):(\d+): (.*)$/gm)].map(([, line, column, message]) => ({
    line: Number(line),
    column: Math.max(1, Number(column)),
    message: message ?? '',
  }));
  return issues.length > 0 ? issues : [{ line: 1, column: 1, message: text }];
}
