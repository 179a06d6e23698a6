import { formatJson, formatValue } from '../errors/format-value.ts';
import type { JsonValue } from '../json/value.ts';
import { Budget, evaluate } from './evaluate.ts';
import { parseSteps, parseTemplate } from './parser.ts';
import type { Step, TemplatePart } from './steps.ts';

/**
 * A path into an object, compiled once: `.spec.containers[*].image`, `.status.conditions[?(@.type=="Ready")].status`.
 * Fields that are absent are skipped, so an empty result is no error.
 */
export class JsonPath {
  readonly #steps: readonly Step[];

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  /**
   * Returns all values at the path, in the order of the object. Throws `JsonPathError` when there are too many to visit, or when a
   * step does not fit a value, such as an index out of bounds.
   */
  find(value: JsonValue, budget = new Budget()): readonly JsonValue[] {
    return evaluate(this.#steps, [value], budget);
  }

  /** Returns the first of them, as a printed column shows it. */
  first(value: JsonValue, budget?: Budget): JsonValue | undefined {
    return this.find(value, budget)[0];
  }
}

/** Text with paths in braces, as for `kubectl get -o jsonpath`: `{range .items[*]}{.metadata.name}{"\n"}{end}`. */
export class JsonPathTemplate {
  readonly #parts: readonly TemplatePart[];

  constructor(parts: readonly TemplatePart[]) {
    this.#parts = parts;
  }

  /** Several results of one path are separated by a space; objects and lists are printed as JSON. */
  render(value: JsonValue): string {
    const written: string[] = [];
    write(this.#parts, value, written, new Budget());
    return written.join('');
  }
}

/** Compiles one path; braces around it and the dot at its start may be left out. Throws `JsonPathError`. */
export function compileJsonPath(text: string): JsonPath {
  const inner = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text;
  return new JsonPath(parseSteps(/^[.[$@]/.test(inner) ? inner : `.${inner}`));
}

/** Compiles a template. Throws `JsonPathError`. */
export function compileJsonPathTemplate(text: string): JsonPathTemplate {
  return new JsonPathTemplate(parseTemplate(text));
}

function write(parts: readonly TemplatePart[], value: JsonValue, written: string[], budget: Budget): void {
  for (const part of parts) {
    budget.spend();
    if (part.kind === 'text') written.push(part.text);
    else if (part.kind === 'path') written.push(evaluate(part.steps, [value], budget).map(print).join(' '));
    else for (const item of evaluate(part.steps, [value], budget)) write(part.body, item, written, budget);
  }
}

function print(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '<nil>';
  return typeof value === 'object' ? formatJson(value) : formatValue(value);
}
