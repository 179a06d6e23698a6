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
import { deepEqual, isJsonObject, type JsonObject, type JsonValue } from '../../json/index.ts';
import type { Schema } from '../../schema/schema.ts';
import { listMapIndex } from '../../schema/validate/list-keys.ts';
import { CelError, isError, OptionalValue, type Value } from '../values/value.ts';
import { adapterOf } from './adapt.ts';
import { type CompiledRule, compileRules } from './compile-rules.ts';
import { followRulePath } from './rule-path.ts';
import { schemaTypeOf } from './schema-type.ts';

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
  const node = nodeOf(schema, schema, isResourceRoot);
  if (node === undefined) return undefined;
  const run = (value: JsonValue, previous?: JsonValue, path?: FieldPath, correlation?: Correlation): RuleVerdict => {
    const rules = new RuleRun();
    rules.visit(node, value, previous, path, correlation);
    return rules;
  };
  return {
    evaluate: (object, previous) => run(object, previous, undefined, startingFrom(previous, object)),
    evaluateDefault: (value, path) => run(value, value, path).errors,
  };
}

/** A schema with rules in or below it. */
interface RuleNode {
  readonly schema: Schema;
  readonly isResourceRoot: boolean;
  readonly rules: () => readonly CompiledRule[];
  readonly items: RuleNode | undefined;
  readonly values: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly allOf: readonly RuleNode[];
}

/** `rules` is the schema whose rules are meant: the place's own, or one of its `allOf`. */
function nodeOf(rules: Schema, schema: Schema, isResourceRoot: boolean): RuleNode | undefined {
  const items = pair(rules.items, schema.items);
  const values = pair(objectOf(rules.additionalProperties), objectOf(schema.additionalProperties));
  const properties = new Map<string, RuleNode>();
  for (const [name, inner] of Object.entries(rules.properties ?? {})) {
    const own =
      schema.properties !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    const node = pair(inner, own);
    if (node !== undefined) properties.set(name, node);
  }
  const allOf = (rules.allOf ?? []).flatMap((inner) => nodeOf(inner, schema, isResourceRoot) ?? []);
  const hasRules = (rules.validations ?? []).length > 0;
  if (!hasRules && items === undefined && values === undefined && properties.size === 0 && allOf.length === 0) {
    return undefined;
  }
  return { schema, isResourceRoot, rules: lazily(rules, schema, isResourceRoot), items, values, properties, allOf };
}

function pair(rules: Schema | undefined, schema: Schema | undefined): RuleNode | undefined {
  if (rules === undefined || schema === undefined) return undefined;
  return nodeOf(rules, schema, schema.embeddedResource === true);
}

function objectOf(additional: Schema | boolean | undefined): Schema | undefined {
  return typeof additional === 'object' ? additional : undefined;
}

function lazily({ validations = [] }: Schema, schema: Schema, isResourceRoot: boolean): () => readonly CompiledRule[] {
  let compiled: readonly CompiledRule[] | undefined;
  return () => {
    if (compiled !== undefined) return compiled;
    const type = validations.length === 0 ? undefined : schemaTypeOf(schema, isResourceRoot);
    compiled = type === undefined ? [] : compileRules(validations, schema, type);
    return compiled;
  };
}

/** Two values that belong together, and whether they are the same; the nearest such pair above, where these are not. */
interface Correlation {
  readonly before: JsonValue | undefined;
  isUnchanged(): boolean;
}

function startingFrom(before: JsonValue | undefined, now: JsonValue): Correlation | undefined {
  return before === undefined || before === null ? undefined : correlate(before, now);
}

function correlate(before: JsonValue, now: JsonValue): Correlation {
  let isSame: boolean | undefined;
  return { before, isUnchanged: () => (isSame ??= deepEqual(before, now)) };
}

/** One evaluation of all the rules about one object. */
class RuleRun implements RuleVerdict {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  #budget = perObjectBudget;
  #isOver = false;

  /** `nearest`: the closest pair of values that belong together, this one's if it has a counterpart. */
  visit(
    node: RuleNode,
    value: JsonValue,
    previous: JsonValue | undefined,
    path: FieldPath | undefined,
    nearest: Correlation | undefined,
  ): void {
    if (value === null || this.#isOver) return;
    const before = previous === null ? undefined : previous;
    this.#applyRules(node, value, before, path, nearest);
    for (const alternative of node.allOf) this.visit(alternative, value, before, path, nearest);
    if (Array.isArray(value)) this.#visitItems(node, value, before, path, nearest);
    else if (isJsonObject(value)) this.#visitFields(node, value, before, path, nearest);
  }

  #visitItems(
    { items, schema }: RuleNode,
    value: readonly JsonValue[],
    before: JsonValue | undefined,
    path: FieldPath | undefined,
    nearest: Correlation | undefined,
  ): void {
    if (items === undefined) return;
    const isKeyed = schema.listType === 'map' && Array.isArray(before);
    const counterpart = isKeyed ? listMapIndex(before, schema.listMapKeys ?? []) : undefined;
    value.forEach((item, index) => {
      const previous = counterpart?.(item);
      const place = path === undefined ? FieldPath.of(`[${index}]`) : path.index(index);
      this.visit(items, item, previous, place, nearest && (startingFrom(previous, item) ?? nearest));
    });
  }

  #visitFields(
    { values, properties, schema }: RuleNode,
    value: JsonObject,
    before: JsonValue | undefined,
    path: FieldPath | undefined,
    nearest: Correlation | undefined,
  ): void {
    const previous = isJsonObject(before) ? before : undefined;
    const visit = (node: RuleNode, name: string, place: FieldPath): void => {
      const old = previous !== undefined && Object.hasOwn(previous, name) ? previous[name] : undefined;
      // What kind an object is never counts as unchanged: both sides were converted to it.
      const isTypeField = path === undefined && (name === 'kind' || name === 'apiVersion');
      const own = isTypeField ? undefined : nearest && (startingFrom(old, value[name]!) ?? nearest);
      this.visit(node, value[name]!, old, place, own);
    };
    const child = (name: string) => (path === undefined ? FieldPath.of(name) : path.child(name));
    const key = (name: string) => (path === undefined ? FieldPath.of(`[${name}]`) : path.key(name));
    if (values !== undefined && schema.properties === undefined) {
      for (const name of Object.keys(value).sort()) visit(values, name, key(name));
    }
    for (const [name, node] of properties) if (Object.hasOwn(value, name)) visit(node, name, child(name));
  }

  #applyRules(
    node: RuleNode,
    value: JsonValue,
    before: JsonValue | undefined,
    path: FieldPath | undefined,
    nearest: Correlation | undefined,
  ): void {
    const rules = node.rules();
    if (rules.length === 0) return;
    const type = node.schema.type ?? '';
    const fail = (detail: string) => this.errors.push(invalid(path ?? '<nil>', type, detail));
    if (this.#budget <= 0) {
      this.#isOver = true;
      fail(outOfBudget);
      return;
    }
    const adapt = adapterOf(node.schema, node.isResourceRoot);
    const self = adapt(value);
    const oldSelf = before === undefined ? undefined : adapt(before);
    for (const compiled of rules) {
      if (this.#isOver) return;
      this.#applyRule(compiled, { node, value, self, oldSelf, path, nearest, fail });
    }
  }

  #applyRule(compiled: CompiledRule, subject: Subject): void {
    const { rule, program, error, usesOldSelf } = compiled;
    if (error !== undefined) subject.fail(`rule compile error: ${error}`);
    const isOptional = rule.optionalOldSelf === true;
    if (program === undefined || (usesOldSelf && subject.oldSelf === undefined && !isOptional)) return;
    const variables = { self: subject.self, oldSelf: oldSelfOf(subject.oldSelf, isOptional) };
    const { value, cost, isExceeded } = program.evaluate(variables);
    if (cost > this.#budget) {
      this.#isOver = true;
      subject.fail(outOfBudget);
      return;
    }
    this.#budget -= cost;
    if (isError(value)) {
      this.#isOver = isExceeded;
      subject.fail(describeFailure(value, ruleText(compiled), isExceeded));
    } else if (value !== true) this.#report(compiled, variables, subject);
  }

  #report(compiled: CompiledRule, variables: Readonly<Record<string, Value | undefined>>, subject: Subject): void {
    const { rule, path: steps, usesOldSelf } = compiled;
    const place = String(followRulePath(subject.path, steps) ?? '<nil>');
    const add = (error: FieldError): void => {
      if (!usesOldSelf && subject.nearest?.isUnchanged()) this.warnings.push(describeFieldError(error));
      else this.errors.push(error);
    };
    const message = this.#message(compiled, variables);
    if (message instanceof CelError) {
      this.#isOver = true;
      add(invalid(place, subject.node.schema.type ?? '', message.message));
      return;
    }
    const { type } = subject.node.schema;
    const shown = type === 'object' || type === 'array' ? omitValue : subject.value;
    add(errorFor(rule.reason, place, shown, message ?? rule.message?.trim() ?? `failed rule: ${rule.rule.trim()}`));
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
interface Subject {
  readonly node: RuleNode;
  readonly value: JsonValue;
  readonly self: Value;
  readonly oldSelf: Value | undefined;
  readonly path: FieldPath | undefined;
  readonly nearest: Correlation | undefined;
  fail(detail: string): void;
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
