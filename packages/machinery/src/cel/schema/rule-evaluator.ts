import {
  describeFieldError,
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  omitValue,
  required,
} from '../../errors/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import type { Schema } from '../../schema/schema.ts';
import { listMapIndex } from '../../schema/validate/list-keys.ts';
import { CelError, isError, OptionalValue, type Value } from '../values/value.ts';
import { adapterOf } from './adapt.ts';
import type { CompiledRule } from './compile-rules.ts';
import { Ratchet } from './ratchet.ts';
import { followRulePath } from './rule-path.ts';
import { type RuleNode, ruleNodeOf } from './rule-tree.ts';

/** What all rules about one object may cost together. */
const perObjectBudget = 10_000_000;
const maxMessageBytes = 5 * 1024;

export interface RuleVerdict {
  readonly errors: readonly FieldError[];
  /** Rules that are broken by what has not changed, in words. */
  readonly warnings: readonly string[];
}

/** The rules of a schema and of everything below it, compiled when they are first needed. */
export interface RuleEvaluator {
  /** Applies all rules to an object; `previous` is the one it replaces. */
  evaluate(object: JsonValue, previous?: JsonValue): RuleVerdict;
  /** What is wrong with a value that fills a gap: it is taken to have been there before, too. */
  evaluateDefault(value: JsonValue, path: FieldPath): readonly FieldError[];
}

/** The evaluator of a resource's schema, or of a part of one; `undefined` when it has no rules. */
export function ruleEvaluatorOf(
  schema: Schema,
  { isResourceRoot = true }: { readonly isResourceRoot?: boolean } = {},
): RuleEvaluator | undefined {
  const node = ruleNodeOf(schema, schema, isResourceRoot);
  if (node === undefined) return undefined;
  const run = (place: Place): RuleVerdict => {
    const rules = new RuleRun();
    rules.visit(node, place);
    return rules;
  };
  return {
    evaluate: (object, previous) => {
      const ratchet = Ratchet.between(previous, object);
      return run({ value: object, before: previous, path: undefined, ratchet });
    },
    evaluateDefault: (value, path) => run({ value, before: value, path, ratchet: Ratchet.none }).errors,
  };
}

/** A value in an object, what stood there before if that can be told, and where that is. */
interface Place {
  readonly value: JsonValue;
  readonly before: JsonValue | undefined;
  /** Absent for the object itself. */
  readonly path: FieldPath | undefined;
  readonly ratchet: Ratchet;
}

/** One evaluation of all the rules about one object. */
class RuleRun implements RuleVerdict {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  #budget = perObjectBudget;
  #isOver = false;

  visit(node: RuleNode, place: Place): void {
    if (place.value === null || this.#isOver) return;
    this.#applyRules(node, place);
    for (const inner of node.allOf) this.visit(inner, { ...place, ratchet: place.ratchet.ofAllOf });
    if (Array.isArray(place.value)) this.#visitItems(node, place.value, place);
    else if (isJsonObject(place.value)) this.#visitFields(node, place.value, place);
  }

  #visitItems({ items, schema }: RuleNode, list: readonly JsonValue[], { before, path, ratchet }: Place): void {
    if (items === undefined) return;
    const isKeyed = schema.listType === 'map' && Array.isArray(before);
    const counterpart = isKeyed ? listMapIndex(before, schema.listMapKeys ?? []) : undefined;
    list.forEach((value, index) => {
      const old = counterpart?.(value);
      const at = path === undefined ? FieldPath.of(`[${index}]`) : path.index(index);
      this.visit(items, { value, before: old, path: at, ratchet: ratchet.below(old, value) });
    });
  }

  #visitFields({ values, properties, schema }: RuleNode, object: JsonObject, { before, path, ratchet }: Place): void {
    const previous = isJsonObject(before) ? before : undefined;
    const visit = (node: RuleNode, name: string, at: FieldPath): void => {
      const value = object[name]!;
      const old = previous !== undefined && Object.hasOwn(previous, name) ? previous[name] : undefined;
      // What kind an object is never counts as unchanged: both sides were converted to it.
      const isTypeField = path === undefined && (name === 'kind' || name === 'apiVersion');
      this.visit(node, {
        value,
        before: old,
        path: at,
        ratchet: isTypeField ? Ratchet.none : ratchet.below(old, value),
      });
    };
    if (values !== undefined && schema.properties === undefined) {
      for (const name of Object.keys(object).sort()) {
        visit(values, name, path === undefined ? FieldPath.of(`[${name}]`) : path.key(name));
      }
    }
    for (const [name, node] of properties) {
      if (!Object.hasOwn(object, name)) continue;
      visit(node, name, path === undefined ? FieldPath.of(name) : path.child(name));
    }
  }

  #applyRules(node: RuleNode, { value, before, path, ratchet }: Place): void {
    const rules = node.rules();
    if (rules.length === 0) return;
    const type = node.schema.type ?? '';
    if (this.#budget <= 0) {
      this.#stop({ path, type }, outOfBudget);
      return;
    }
    const adapt = adapterOf(node.schema, node.isResourceRoot);
    const oldSelf = before === undefined || before === null ? undefined : adapt(before);
    const subject: Subject = { value, before, path, ratchet, type, self: adapt(value), oldSelf };
    for (const compiled of rules) {
      if (this.#isOver) return;
      this.#applyRule(compiled, subject);
    }
  }

  #fail({ path, type }: Pick<Subject, 'path' | 'type'>, detail: string): void {
    this.errors.push(invalid(path ?? '<nil>', type, detail));
  }

  /** The last error: no further rules are looked at. */
  #stop(subject: Pick<Subject, 'path' | 'type'>, detail: string): void {
    this.#isOver = true;
    this.#fail(subject, detail);
  }

  #applyRule(compiled: CompiledRule, subject: Subject): void {
    const { rule, program, error, usesOldSelf } = compiled;
    if (error !== undefined) this.#fail(subject, `rule compile error: ${error}`);
    const isOptional = rule.optionalOldSelf === true;
    if (program === undefined || (usesOldSelf && subject.oldSelf === undefined && !isOptional)) return;
    const variables = { self: subject.self, oldSelf: oldSelfOf(subject.oldSelf, isOptional) };
    const { value, cost, isExceeded } = program.evaluate(variables);
    if (cost > this.#budget) {
      this.#stop(subject, outOfBudget);
      return;
    }
    this.#budget -= cost;
    if (isError(value)) {
      const detail = describeFailure(value, ruleText(compiled), isExceeded);
      if (isExceeded) this.#stop(subject, detail);
      else this.#fail(subject, detail);
    } else if (value !== true) this.#report(compiled, variables, subject);
  }

  #report(compiled: CompiledRule, variables: Readonly<Record<string, Value | undefined>>, subject: Subject): void {
    const { rule, path: steps, usesOldSelf } = compiled;
    const place = String(followRulePath(subject.path, steps) ?? '<nil>');
    const add = (error: FieldError): void => {
      if (!usesOldSelf && subject.ratchet.isUnchanged) this.warnings.push(describeFieldError(error));
      else this.errors.push(error);
    };
    const message = this.#message(compiled, variables);
    if (message instanceof CelError) {
      this.#isOver = true;
      add(invalid(place, subject.type, message.message));
      return;
    }
    const shown = subject.type === 'object' || subject.type === 'array' ? omitValue : subject.value;
    add(
      errorFor(
        rule.reason,
        place,
        shown,
        message ?? (rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`),
      ),
    );
  }

  /** The text a message expression gives; `undefined` when it gives none that can be used. */
  #message(
    { rule, message }: CompiledRule,
    variables: Readonly<Record<string, Value | undefined>>,
  ): string | undefined | CelError {
    if (message === undefined) return undefined;
    const { value, cost, isExceeded } = message.evaluate(variables);
    if (cost > this.#budget) {
      return new CelError(
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      );
    }
    this.#budget -= cost;
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

/** What rules are applied to, and where. */
interface Subject extends Place {
  /** The type the schema gives it, which stands for the value where that is not shown. */
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

function errorFor(reason: string | undefined, place: string, value: unknown, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(place, detail);
    case 'FieldValueRequired':
      return required(place, detail);
    case 'FieldValueDuplicate':
      return duplicate(place, value);
    default:
      return invalid(place, value, detail);
  }
}
