import type { Call, Comprehension, Expr } from '../syntax/ast.ts';
import { describeValue, typeNameOf } from '../values/describe.ts';
import { ArrayList, ListValue } from '../values/list.ts';
import { keyOf, LiteralMap, MapValue } from '../values/map.ts';
import { CelError, isError, noSuchOverload, type Value } from '../values/value.ts';
import type { Compiler } from './compile.ts';
import type { Frame, Step } from './frame.ts';

/** Compiles loops. Expansions of common macros are recognized and run directly, at the same cost. */
export function compileComprehension(expr: Comprehension, compiler: Compiler): Step {
  if (isBinding(expr)) return binding(expr, compiler);
  const range = compiler.compile(expr.range);
  if (expr.accumulator !== '@result') return general(expr, range, compiler);
  return quantifier(expr, range, compiler) ?? collector(expr, range, compiler) ?? general(expr, range, compiler);
}

/**
 * Iterates over a container, sets the loop variables, and stops when `visit` returns true. Returns an error when the
 * value is not iterable.
 */
type Iterate = (container: Value, frame: Frame, visit: (frame: Frame) => boolean) => CelError | undefined;

/** Allocates slots for loop variables: one has items or keys, two have positions and items, or keys and values. */
function loop(expr: Comprehension, compiler: Compiler, compile: (iterate: Iterate) => Step): Step {
  const names = expr.variable2 === undefined ? [expr.variable] : [expr.variable, expr.variable2];
  return compiler.within(names, ([first, second]) =>
    compile((container, frame, visit) => {
      const { slots } = frame;
      if (container instanceof ListValue) {
        for (let index = 0; index < container.size; index++) {
          slots[first!] = second === undefined ? container.at(index) : index;
          if (second !== undefined) slots[second] = container.at(index);
          if (!visit(frame)) break;
        }
        return undefined;
      }
      if (!(container instanceof MapValue))
        return isError(container) ? container : notIterable(container, names.length);
      for (const key of container.keys()) {
        slots[first!] = key;
        if (second !== undefined) slots[second] = container.get(key) ?? null;
        if (!visit(frame)) break;
      }
      return undefined;
    }),
  );
}

/** Names the value by its Go type, as Kubernetes does. */
function notIterable(value: Value, variables: number): CelError {
  const name = typeNameOf(value);
  const goType = goTypes.get(name) ?? `types.${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (variables > 1) return new CelError(`unsupported comprehension range type: ${goType}`);
  return new CelError(`got '${goType}', expected iterable type`);
}

const goTypes: ReadonlyMap<string, string> = new Map([
  ['null_type', 'types.Null'],
  ['google.protobuf.Timestamp', 'types.Timestamp'],
  ['google.protobuf.Duration', 'types.Duration'],
]);

/** Compiles `all` and `exists`: the first deciding item ends the loop and overrides errors before it. */
function quantifier(expr: Comprehension, range: Step, compiler: Compiler): Step | undefined {
  const { condition, step } = expr;
  if (condition.kind !== 'call' || condition.name !== '@not_strictly_false' || step.kind !== 'call') return undefined;
  const decides = step.name === '_||_';
  // Cost of the expansion per round besides the predicate: testing the result so far, and negating it.
  const roundCost = decides ? 4 : 3;
  return loop(expr, compiler, (iterate) => {
    const predicate = compiler.compile(step.args[1]!);
    return (frame) => {
      let isDecided = false;
      let error: CelError | undefined;
      const failure = iterate(range(frame), frame, (current) => {
        current.charge(roundCost);
        const value = predicate(current);
        isDecided = value === decides;
        if (typeof value !== 'boolean') error ??= isError(value) ? value : noSuchOverload;
        return !isDecided;
      });
      frame.cost++;
      return failure ?? (isDecided ? decides : (error ?? !decides));
    };
  });
}

/** Compiles `map`, `filter` and the transformations, which build their result in place. */
function collector(expr: Comprehension, range: Step, compiler: Compiler): Step | undefined {
  const { step } = expr;
  if (step.kind !== 'call') return undefined;
  const isFiltered = step.name === '_?_:_';
  const add = isFiltered ? step.args[1]! : step;
  if (add.kind !== 'call') return undefined;
  const spec = collectorSpecOf(expr, add);
  if (spec === undefined) return undefined;
  return loop(expr, compiler, (iterate) => {
    const filter = isFiltered ? compiler.compile(step.args[0]!) : undefined;
    const parts = spec.parts.map((part) => compiler.compile(part));
    return (frame) => {
      const collected = spec.start();
      let error: CelError | undefined;
      const failure = iterate(range(frame), frame, (current) => {
        current.charge(1);
        const isWanted = filter === undefined ? true : filter(current);
        if (isWanted === false) return true;
        if (isWanted === true) {
          error = collected.add(parts.map((part) => part(current)));
          current.charge(spec.cost);
        } else error = isError(isWanted) ? isWanted : noSuchOverload;
        return error === undefined;
      });
      frame.cost++;
      return failure ?? error ?? collected.finish();
    };
  });
}

interface CollectorSpec {
  /** Expressions that are evaluated for each collected item, and the additional cost of adding them. */
  readonly parts: readonly Expr[];
  readonly cost: number;
  start(): Collection;
}

interface Collection {
  add(values: readonly Value[]): CelError | undefined;
  finish(): Value;
}

function collectorSpecOf({ init }: Comprehension, add: Call): CollectorSpec | undefined {
  if (add.name === 'cel.@mapInsert' && init.kind === 'map')
    return { parts: add.args.slice(1), cost: 1, start: collectEntries };
  const items = add.args[1];
  if (add.name !== '_+_' || init.kind !== 'list' || items?.kind !== 'list' || items.items.length !== 1)
    return undefined;
  // A list of one item is created and added.
  return { parts: items.items, cost: 11, start: collectItems };
}

function collectItems(): Collection {
  const items: Value[] = [];
  return {
    add: ([item]) => {
      if (isError(item!)) return item;
      items.push(item!);
      return undefined;
    },
    finish: () => new ArrayList(items),
  };
}

function collectEntries(): Collection {
  const entries: (readonly [Value, Value])[] = [];
  const keys = new Set<unknown>();
  const insert = (key: Value, value: Value): CelError | undefined => {
    if (isError(key)) return key;
    if (isError(value)) return value;
    if (keys.has(keyOf(key))) return new CelError(`insert failed: key ${describeValue(key)} already exists`);
    keys.add(keyOf(key));
    entries.push([key, value]);
    return undefined;
  };
  return {
    add: ([first, second]) => {
      if (second !== undefined) return insert(first!, second);
      if (!(first instanceof MapValue)) return isError(first!) ? first : noSuchOverload;
      for (const key of first.keys()) {
        const error = insert(key, first.get(key)!);
        if (error !== undefined) return error;
      }
      return undefined;
    },
    finish: () => new LiteralMap(entries),
  };
}

function isBinding({ accumulator, range }: Comprehension): boolean {
  return accumulator !== '@result' && range.kind === 'list' && range.items.length === 0;
}

/** Compiles `cel.bind`: there is nothing to iterate over. */
function binding(expr: Comprehension, compiler: Compiler): Step {
  const init = compiler.compile(expr.init);
  return compiler.within([expr.accumulator], ([slot]) => {
    const result = compiler.compile(expr.result);
    return (frame) => {
      frame.slots[slot!] = init(frame);
      return result(frame);
    };
  });
}

function general(expr: Comprehension, range: Step, compiler: Compiler): Step {
  const init = compiler.compile(expr.init);
  return compiler.within([expr.accumulator], ([slot]) => {
    const result = compiler.compile(expr.result);
    return loop(expr, compiler, (iterate) => {
      const condition = compiler.compile(expr.condition);
      const next = compiler.compile(expr.step);
      return (frame) => {
        const container = range(frame);
        frame.slots[slot!] = init(frame);
        const failure = iterate(container, frame, (current) => {
          current.charge(0);
          if (condition(current) === false) return false;
          current.slots[slot!] = next(current);
          return true;
        });
        return failure ?? result(frame);
      };
    });
  });
}
