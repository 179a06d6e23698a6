import {
  describeFieldError,
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  omitValue,
  required,
} from '@pintle/machinery/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import { finish, type Steps } from '@pintle/machinery/rules';
import type { Schema } from '@pintle/machinery/schema';
import { listMapIndex } from '@pintle/machinery/schema';
import { CelError, isError, OptionalValue, type Value } from '../values/value.ts';
import { adapterOf } from './adapt.ts';
import type { CompiledRule, LazyRule } from './compile-rules.ts';
import { Ratchet } from './ratchet.ts';
import { followRulePath } from './rule-path.ts';
import { type RuleNode, ruleNodeOf } from './rule-tree.ts';

/** Cost limit of all rules for one object. */
const perObjectBudget = 10_000_000;
const maxMessageBytes = 5 * 1024;
/** Cost after which evaluation yields: some milliseconds. A single rule may cost more and is not interrupted. */
const pauseCost = 50_000;
/** Uncharged cost of a rule: finding its value, and formatting an error. */
const ruleOverhead = 20;
const failureOverhead = 100;
/** Number of errors after which no more rules are evaluated. */
const maxErrors = 10_000;
const maxWarnings = 1_000;

export interface RuleResult {
  readonly errors: readonly FieldError[];
  /** Violations by unchanged values, as texts. */
  readonly warnings: readonly string[];
}

/** Remaining cost budget. */
export interface RuleBudget {
  left: number;
}

export function fullBudget(): RuleBudget {
  return { left: perObjectBudget };
}

/** Rules of a schema and everything below it, compiled when first needed. */
export interface RuleEvaluator {
  /** Evaluates all rules for an object; `previous` is the object that it replaces. */
  evaluate(object: JsonValue, previous?: JsonValue): RuleResult;
  /** Like `evaluate`, with pauses between rules. */
  evaluateInSteps(object: JsonValue, previous?: JsonValue): Steps<RuleResult>;
  /** Returns the violations of a default value, which counts as unchanged. */
  evaluateDefault(value: JsonValue, path: FieldPath, budget: RuleBudget): Steps<readonly FieldError[]>;
}

/** Returns the evaluator of a resource's schema, or of a part of one; `undefined` when it has no rules. */
export function ruleEvaluatorOf(
  schema: Schema,
  { isResourceRoot = true }: { readonly isResourceRoot?: boolean } = {},
): RuleEvaluator | undefined {
  const node = ruleNodeOf(schema, schema, isResourceRoot);
  if (node === undefined) return undefined;
  const evaluateInSteps = function* (object: JsonValue, previous?: JsonValue): Steps<RuleResult> {
    const rules = new RuleEvaluation(fullBudget());
    const ratchet = Ratchet.between(schema, previous, object);
    yield* rules.visit(node, { value: object, before: previous, path: undefined, ratchet });
    return rules;
  };
  return {
    evaluateInSteps,
    evaluate: (object, previous) => finish(evaluateInSteps(object, previous)),
    *evaluateDefault(value, path, budget) {
      const again = { left: budget.left };
      const kept = new RuleEvaluation(budget);
      yield* kept.visit(node, { value, before: value, path, ratchet: Ratchet.none });
      if (kept.errors.length > 0) return kept.errors;
      // A rule with an optional `oldSelf` evaluates the default once more, as a new value.
      const added = new RuleEvaluation(again);
      yield* added.visit(node, { value, before: undefined, path, ratchet: Ratchet.none });
      budget.left = Math.min(budget.left, again.left);
      return added.errors;
    },
  };
}

/** A value in an object, its old value if correlatable, and its path. */
interface ValueAtPath {
  readonly value: JsonValue;
  readonly before: JsonValue | undefined;
  /** Absent for the object itself. */
  readonly path: FieldPath | undefined;
  readonly ratchet: Ratchet;
}

/** One evaluation of all rules for one object. */
class RuleEvaluation implements RuleResult {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  readonly #budget: RuleBudget;
  #isStopped = false;
  /** Cost since the last pause. */
  #work = 0;

  constructor(budget: RuleBudget) {
    this.#budget = budget;
  }

  *visit(node: RuleNode, target: ValueAtPath): Steps<void> {
    if (target.value === null || this.#isStopped) return;
    const rules = node.rules();
    if (rules.length > 0) yield* this.#applyRules(rules, node, target);
    for (const inner of node.allOf) yield* this.visit(inner, { ...target, ratchet: target.ratchet.ofAllOf });
    if (Array.isArray(target.value)) yield* this.#visitItems(node, target.value, target);
    else if (isJsonObject(target.value)) yield* this.#visitFields(node, target.value, target);
  }

  *#visitItems(
    { items, schema }: RuleNode,
    list: readonly JsonValue[],
    { before, path, ratchet }: ValueAtPath,
  ): Steps<void> {
    if (items === undefined) return;
    const isKeyed = schema.listType === 'map' && Array.isArray(before);
    const counterpart = isKeyed ? listMapIndex(before, schema.listMapKeys ?? []) : undefined;
    for (const [index, value] of list.entries()) {
      const old = counterpart?.(value);
      const at = path === undefined ? FieldPath.of(`[${index}]`) : path.index(index);
      yield* this.visit(items, { value, before: old, path: at, ratchet: ratchet.below(items.schema, old, value) });
    }
  }

  *#visitFields({ values, properties, schema }: RuleNode, object: JsonObject, target: ValueAtPath): Steps<void> {
    const { path } = target;
    if (values !== undefined && schema.properties === undefined) {
      for (const name of Object.keys(object).sort()) {
        const at = path === undefined ? FieldPath.of(`[${name}]`) : path.key(name);
        yield* this.visit(values, fieldOf(values.schema, object, name, at, target));
      }
    }
    for (const [name, node] of properties) {
      if (!Object.hasOwn(object, name)) continue;
      const at = path === undefined ? FieldPath.of(name) : path.child(name);
      yield* this.visit(node, fieldOf(node.schema, object, name, at, target));
    }
  }

  *#applyRules(rules: readonly LazyRule[], { schema, isResourceRoot }: RuleNode, target: ValueAtPath): Steps<void> {
    const { value, before, path } = target;
    const type = schema.type ?? '';
    if (this.#budget.left <= 0) {
      this.#stop({ path, type }, outOfBudget);
      return;
    }
    const adapt = adapterOf(schema, isResourceRoot);
    const oldSelf = before === undefined || before === null ? undefined : adapt(before);
    const subject: Subject = { ...target, type, self: adapt(value), oldSelf };
    for (const rule of rules) {
      if (this.#isStopped) return;
      this.#work += rule.pendingCost + ruleOverhead;
      this.#applyRule(rule.compiled(), subject);
      if (this.#work < pauseCost) continue;
      this.#work = 0;
      yield;
    }
  }

  #addInvalid({ path, type }: Pick<Subject, 'path' | 'type'>, detail: string): void {
    this.#add(invalid(path ?? '<nil>', type, detail));
  }

  #add(error: FieldError): void {
    this.#work += failureOverhead;
    this.errors.push(error);
    if (this.errors.length >= maxErrors) this.#isStopped = true;
  }

  /** Adds the last error: no more rules are evaluated. */
  #stop(subject: Pick<Subject, 'path' | 'type'>, detail: string): void {
    this.#isStopped = true;
    this.#addInvalid(subject, detail);
  }

  #applyRule(compiled: CompiledRule, subject: Subject): void {
    const { rule, program, error, usesOldSelf } = compiled;
    if (error !== undefined) this.#addInvalid(subject, `rule compile error: ${error}`);
    const isOptional = rule.optionalOldSelf === true;
    if (program === undefined || (usesOldSelf && subject.oldSelf === undefined && !isOptional)) return;
    const variables = { self: subject.self, oldSelf: oldSelfOf(subject.oldSelf, isOptional) };
    const { value, cost, isExceeded } = program.evaluate(variables);
    this.#work += cost;
    if (cost > this.#budget.left) {
      this.#budget.left = 0;
      this.#stop(subject, outOfBudget);
      return;
    }
    this.#budget.left -= cost;
    if (isError(value)) {
      const detail = describeFailure(value, ruleText(compiled), isExceeded);
      if (isExceeded) this.#stop(subject, detail);
      else this.#addInvalid(subject, detail);
    } else if (value !== true) this.#report(compiled, variables, subject);
  }

  #report(compiled: CompiledRule, variables: Readonly<Record<string, Value | undefined>>, subject: Subject): void {
    const { rule, path: steps, usesOldSelf } = compiled;
    const field = String(followRulePath(subject.path, steps) ?? '<nil>');
    const add = (error: FieldError): void => {
      if (usesOldSelf || !subject.ratchet.isUnchanged) this.#add(error);
      else if (this.warnings.length < maxWarnings) this.warnings.push(describeFieldError(error));
    };
    const message = this.#message(compiled, variables);
    if (message instanceof CelError) {
      this.#isStopped = true;
      add(invalid(field, subject.type, message.message));
      return;
    }
    const shown = subject.type === 'object' || subject.type === 'array' ? omitValue : subject.value;
    add(
      errorFor(
        rule.reason,
        field,
        shown,
        message ?? (rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`),
      ),
    );
  }

  /** Returns the text of a message expression; `undefined` when it is unusable. */
  #message(
    { rule, message }: CompiledRule,
    variables: Readonly<Record<string, Value | undefined>>,
  ): string | undefined | CelError {
    if (message === undefined) return undefined;
    const { value, cost, isExceeded } = message.evaluate(variables);
    this.#work += cost;
    if (cost > this.#budget.left) {
      return new CelError(
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      );
    }
    this.#budget.left -= cost;
    if (isExceeded) {
      const source = JSON.stringify(rule.messageExpression);
      return new CelError(
        `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`,
      );
    }
    if (typeof value !== 'string') return undefined;
    const text = value.trim();
    const isUsable = text !== '' && !text.includes('\n') && new TextEncoder().encode(text).length <= maxMessageBytes;
    return isUsable ? text : undefined;
  }
}

/** Returns a field of the object. */
function fieldOf(
  schema: Schema,
  object: JsonObject,
  name: string,
  at: FieldPath,
  { before, path, ratchet }: ValueAtPath,
): ValueAtPath {
  const value = object[name]!;
  const old = isJsonObject(before) && Object.hasOwn(before, name) ? before[name] : undefined;
  // `kind` and `apiVersion` never count as unchanged: both objects were converted.
  const isTypeField = path === undefined && (name === 'kind' || name === 'apiVersion');
  return { value, before: old, path: at, ratchet: isTypeField ? Ratchet.none : ratchet.below(schema, old, value) };
}

/** Value that rules are applied to. */
interface Subject extends ValueAtPath {
  /** Type in the schema, which replaces the value in errors that do not show it. */
  readonly type: string;
  readonly self: Value;
  readonly oldSelf: Value | undefined;
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

function oldSelfOf(value: Value | undefined, isOptional: boolean): Value | undefined {
  if (!isOptional) return value;
  return value === undefined ? OptionalValue.none : OptionalValue.of(value);
}

function ruleText({ rule }: CompiledRule): string {
  return rule.message === undefined || rule.message === '' ? rule.rule.trim() : rule.message.trim();
}

function describeFailure({ message }: CelError, rule: string, isExceeded: boolean): string {
  if (isExceeded || message.startsWith('operation cancelled')) {
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
  }
  if (message.startsWith('no such overload')) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
  }
  return `${message} evaluating rule: ${rule}`;
}

function errorFor(reason: string | undefined, field: string, value: unknown, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail);
    case 'FieldValueRequired':
      return required(field, detail);
    case 'FieldValueDuplicate':
      return duplicate(field, value);
    default:
      return invalid(field, value, detail);
  }
}
