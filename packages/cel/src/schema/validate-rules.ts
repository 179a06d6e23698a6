import { type FieldError, type FieldPath, forbidden, internal, invalid } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import type { Steps } from '@pintle/machinery/rules';
import type { Schema, ValidationRule } from '@pintle/machinery/schema';
import { parseSchema } from '@pintle/machinery/schema';
import { type CompiledRule, compileRules, maxCardinality, maxCostOf, timesCardinality } from './compile-rules.ts';
import { fullBudget, type RuleBudget, ruleEvaluatorOf } from './rule-evaluator.ts';
import { type SchemaType, schemaTypeOf } from './schema-type.ts';

/** Limits of the estimated cost of one expression, and of all in a schema. */
const perExpressionLimit = 10_000_000;
const totalLimit = 100_000_000;
/** Total length of a schema's expressions, because compilation takes time. Usual definitions are far below. */
const maxTotalSource = 150_000;

/**
 * Validates the rules of a definition's schema: expressions that do not compile or have the wrong type, invalid paths,
 * `oldSelf` on values that cannot be correlated, and costs above the limits. The schema is structural. `misused` are
 * the errors of its keywords: rules in or above those schemas are skipped. Pauses every few rules.
 */
export function* validateRules(
  json: JsonObject,
  path: FieldPath,
  misused: readonly FieldError[],
): Steps<readonly FieldError[]> {
  const schema = parseSchema(json);
  const errors: FieldError[] = [];
  yield* checkDefaults(schema, path, true, { errors, budget: fullBudget() });
  if (errors.length > 0) return errors;
  const walker = new RuleWalker(errors, misused);
  yield* walker.visit(schema, { path, cardinality: 1, isRoot: true, uncorrelatable: undefined });
  walker.finish(path);
  return errors;
}

interface DefaultsContext {
  readonly errors: FieldError[];
  /** Budget that all defaults of a schema share. */
  readonly budget: RuleBudget;
}

/** Validates that defaults satisfy their rules. */
function* checkDefaults(schema: Schema, path: FieldPath, isRoot: boolean, context: DefaultsContext): Steps<void> {
  if (context.budget.left <= 0) return;
  if (schema.default !== undefined) {
    const evaluator = ruleEvaluatorOf(schema, { isResourceRoot: isRoot || schema.embeddedResource === true });
    const position = path.child('default');
    if (evaluator !== undefined) {
      for (const error of yield* evaluator.evaluateDefault(schema.default, position, context.budget))
        context.errors.push(error);
      yield;
    }
  }
  if (schema.items !== undefined) yield* checkDefaults(schema.items, path.child('items'), false, context);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield* checkDefaults(property, path.child('properties').key(name), false, context);
  }
}

interface SchemaPosition {
  readonly path: FieldPath;
  /** Maximum number of such values in an object; `undefined`: as many as fit. */
  readonly cardinality: number | undefined;
  readonly isRoot: boolean;
  /** Outermost ancestor list whose items cannot be correlated. */
  readonly uncorrelatable: FieldPath | undefined;
}

class RuleWalker {
  readonly #errors: FieldError[];
  readonly #misused: readonly FieldError[];
  readonly #expensive: { readonly path: FieldPath; readonly cost: number }[] = [];
  #total = 0;
  #sourceLength = 0;

  constructor(errors: FieldError[], misused: readonly FieldError[]) {
    this.#errors = errors;
    this.#misused = misused;
  }

  *visit(schema: Schema, position: SchemaPosition): Steps<void> {
    const { path } = position;
    const below = this.#inside(schema, position);
    if (typeof schema.additionalProperties === 'object') {
      yield* this.visit(schema.additionalProperties, { ...below, path: path.child('additionalProperties') });
    }
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      yield* this.visit(property, { ...below, path: path.child('properties').key(name) });
    }
    if (schema.items !== undefined) {
      const uncorrelatable = below.uncorrelatable ?? (schema.listType === 'map' ? undefined : path);
      yield* this.visit(schema.items, { ...below, path: path.child('items'), uncorrelatable });
    }
    if (schema.validations !== undefined) yield* this.#rules(schema, schema.validations, position);
  }

  finish(path: FieldPath): void {
    if (this.#total <= totalLimit) return;
    const shown = [...this.#expensive].sort((a, b) => b.cost - a.cost).slice(0, 4);
    const problem = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    this.#errors.push(...shown.map((item) => forbidden(item.path, problem)));
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    this.#errors.push(forbidden(path, costMessage(what, this.#total, totalLimit)));
  }

  #inside(schema: Schema, { cardinality, uncorrelatable, path }: SchemaPosition): SchemaPosition {
    const factor = elementsOf(schema);
    const product =
      cardinality === undefined || factor === undefined ? undefined : timesCardinality(cardinality, factor);
    return { path, cardinality: product, isRoot: false, uncorrelatable };
  }

  *#rules(schema: Schema, rules: readonly ValidationRule[], position: SchemaPosition): Steps<void> {
    const at = position.path.child('x-kubernetes-validations');
    const prefix = String(position.path);
    if (this.#misused.some(({ field }) => field.startsWith(prefix))) return;
    const type = schemaTypeOf(schema, position.isRoot || schema.embeddedResource === true);
    if (type === undefined) {
      const reason = 'unable to convert structural schema to CEL declarations';
      const detail = `internal error: failed to construct type information for x-kubernetes-validations rules: ${reason}`;
      this.#errors.push(internal(at, detail));
      return;
    }
    if (!this.#isAffordable(rules, at)) return;
    for (const [index, lazy] of compileRules(rules, schema, type).entries()) {
      this.#rule(lazy.compiled(), type, position, at.index(index));
      yield;
    }
  }

  #isAffordable(rules: readonly ValidationRule[], at: FieldPath): boolean {
    for (const { rule, messageExpression } of rules)
      this.#sourceLength += rule.length + (messageExpression?.length ?? 0);
    if (this.#sourceLength <= maxTotalSource) return true;
    this.#errors.push(forbidden(at, `rules of a schema may not have more than ${maxTotalSource} characters together`));
    return false;
  }

  #rule(compiled: CompiledRule, type: SchemaType, position: SchemaPosition, at: FieldPath): void {
    const { rule, program, error, message, messageError, usesOldSelf } = compiled;
    if (program !== undefined) {
      const cost = timesCardinality(maxCostOf(program, type), position.cardinality ?? maxCardinality(type));
      this.#observe(at.child('rule'), cost, 'estimated rule cost');
    }
    if (error !== undefined) this.#errors.push(invalid(at.child('rule'), goRule(rule), error));
    if (messageError !== undefined) {
      this.#errors.push(invalid(at.child('messageExpression'), goRule(rule), messageError));
    } else if (message !== undefined) {
      this.#observe(at.child('messageExpression'), maxCostOf(message, type), 'estimated messageExpression cost');
    }
    this.#oldSelf(rule, usesOldSelf, position, at);
  }

  #observe(path: FieldPath, cost: number, what: string): void {
    if (cost > perExpressionLimit) this.#errors.push(forbidden(path, costMessage(what, cost, perExpressionLimit)));
    this.#total += cost;
    if (cost >= totalLimit / 100) this.#expensive.push({ path, cost });
  }

  #oldSelf(rule: ValidationRule, usesOldSelf: boolean, { uncorrelatable }: SchemaPosition, at: FieldPath): void {
    if (!usesOldSelf) {
      if (rule.optionalOldSelf === undefined) return;
      const problem = 'may not be set if oldSelf is not used in rule';
      this.#errors.push(invalid(at.child('optionalOldSelf'), rule.optionalOldSelf, problem));
    } else if (uncorrelatable !== undefined) {
      const problem = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      this.#errors.push(invalid(at.child('rule'), rule.rule, problem));
    }
  }
}

/** Returns the factor by which a schema multiplies its children. */
function elementsOf({ type, additionalProperties, maxProperties, maxItems }: Schema): number | undefined {
  if (type === 'array') return maxItems === undefined ? undefined : Math.max(maxItems, 0);
  if (type !== 'object' || additionalProperties === undefined) return 1;
  return maxProperties === undefined ? undefined : Math.max(maxProperties, 0);
}

/** Formats a rule as Go prints its struct. */
function goRule(rule: ValidationRule): object {
  return {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

const costAdvice =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';

function costMessage(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? 'more than 100' : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1);
  return `${what} exceeds budget by factor of ${shown}x (${costAdvice})`;
}
