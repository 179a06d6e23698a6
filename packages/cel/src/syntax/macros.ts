import type { Comprehension, Expr } from './ast.ts';
import type { ExprFactory } from './expr-factory.ts';
import type { Issue } from './issues.ts';

/** A name that cannot be written in a source, so it never collides. */
const accumulator = '@result';
const unused = '#unused';

/** A macro call that is not a node yet, and the factory for the nodes that replace it. */
interface MacroCall {
  readonly factory: ExprFactory;
  readonly at: number;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

type Macro = (call: MacroCall) => Expr | Issue;

export function isIssue(value: Expr | Issue): value is Issue {
  return !('kind' in value);
}

/** Returns the macro with this name and shape. */
export function findMacro(name: string, isMember: boolean, argCount: number): Macro | undefined {
  return macros.get(`${isMember ? '.' : ''}${name}/${argCount}`);
}

const macros: ReadonlyMap<string, Macro> = new Map<string, Macro>([
  ['has/1', has],
  ['.all/2', loop(all)],
  ['.all/3', loop(all)],
  ['.exists/2', loop(exists)],
  ['.exists/3', loop(exists)],
  ['.exists_one/2', loop(existsOne)],
  ['.exists_one/3', loop(existsOne)],
  ['.existsOne/3', loop(existsOne)],
  ['.map/2', mapOver],
  ['.map/3', mapOver],
  ['.filter/2', filter],
  ['.transformList/3', transform(appended)],
  ['.transformList/4', transform(appended)],
  ['.transformMap/3', transform(inserted)],
  ['.transformMap/4', transform(inserted)],
  ['.transformMapEntry/3', transform(merged)],
  ['.transformMapEntry/4', transform(merged)],
  ['.optMap/2', (call) => optional(call, 'optMap', (value) => call.factory.call(call.at, 'optional.of', [value]))],
  ['.optFlatMap/2', (call) => optional(call, 'optFlatMap', (value) => value)],
  ['.sortBy/2', sortBy],
]);

function has({ factory, at, args }: MacroCall): Expr | Issue {
  const [arg] = args;
  if (arg?.kind === 'select' && !arg.testOnly) return factory.select(at, arg.operand, arg.field, true);
  return { at: arg!.at, message: 'invalid argument to has() macro' };
}

type Loop = Pick<Comprehension, 'init' | 'condition' | 'step' | 'result'>;

/** Quantifiers: one or two variables, then the predicate. */
function loop(build: (call: MacroCall, predicate: Expr) => Loop): Macro {
  return (call) => {
    const names = variableNames(call.args.slice(0, -1), 'argument must be a simple name');
    return 'message' in names ? names : comprehension(call, names, build(call, call.args.at(-1)!));
  };
}

function all({ factory, at }: MacroCall, predicate: Expr): Loop {
  return {
    init: factory.literal(at, { type: 'bool', value: true }),
    condition: factory.call(at, '@not_strictly_false', [factory.ident(at, accumulator)]),
    step: factory.call(at, '_&&_', [factory.ident(at, accumulator), predicate]),
    result: factory.ident(at, accumulator),
  };
}

function exists({ factory, at }: MacroCall, predicate: Expr): Loop {
  const stillFalse = factory.call(at, '!_', [factory.ident(at, accumulator)]);
  return {
    init: factory.literal(at, { type: 'bool', value: false }),
    condition: factory.call(at, '@not_strictly_false', [stillFalse]),
    step: factory.call(at, '_||_', [factory.ident(at, accumulator), predicate]),
    result: factory.ident(at, accumulator),
  };
}

function existsOne({ factory, at }: MacroCall, predicate: Expr): Loop {
  const one = () => factory.literal(at, { type: 'int', value: 1 });
  const counted = factory.call(at, '_+_', [factory.ident(at, accumulator), one()]);
  return {
    init: factory.literal(at, { type: 'int', value: 0 }),
    condition: factory.literal(at, { type: 'bool', value: true }),
    step: factory.call(at, '_?_:_', [predicate, counted, factory.ident(at, accumulator)]),
    result: factory.call(at, '_==_', [factory.ident(at, accumulator), one()]),
  };
}

function mapOver(call: MacroCall): Expr | Issue {
  const [variable, ...rest] = call.args;
  const names = variableNames([variable!], 'argument is not an identifier');
  if ('message' in names) return names;
  const [filterBy, value] = rest.length === 2 ? [rest[0]!, rest[1]!] : [undefined, rest[0]!];
  return comprehension(
    call,
    names,
    collecting(call, filterBy, appended(call, names, value), call.factory.list(call.at, [])),
  );
}

function filter(call: MacroCall): Expr | Issue {
  const [variable, predicate] = call.args;
  const names = variableNames([variable!], 'argument is not an identifier');
  if ('message' in names) return names;
  return comprehension(
    call,
    names,
    collecting(call, predicate!, appended(call, names, variable!), call.factory.list(call.at, [])),
  );
}

type Names = readonly [string, string?];

/** `transformList` and similar macros: key, value, an optional filter, and the transformation. */
function transform(add: (call: MacroCall, names: Names, value: Expr) => Expr): Macro {
  return (call) => {
    const names = variableNames(call.args.slice(0, 2), 'argument must be a simple name');
    if ('message' in names) return names;
    const filterBy = call.args.length === 4 ? call.args[2] : undefined;
    const init = add === appended ? call.factory.list(call.at, []) : call.factory.map(call.at, []);
    return comprehension(call, names, collecting(call, filterBy, add(call, names, call.args.at(-1)!), init));
  };
}

function appended({ factory, at }: MacroCall, _names: Names, value: Expr): Expr {
  return factory.call(at, '_+_', [factory.ident(at, accumulator), factory.list(at, [value])]);
}

function inserted({ factory, at }: MacroCall, [key]: Names, value: Expr): Expr {
  return factory.call(at, 'cel.@mapInsert', [factory.ident(at, accumulator), factory.ident(at, key), value]);
}

function merged({ factory, at }: MacroCall, _names: Names, value: Expr): Expr {
  return factory.call(at, 'cel.@mapInsert', [factory.ident(at, accumulator), value]);
}

function collecting({ factory, at }: MacroCall, filterBy: Expr | undefined, add: Expr, init: Expr): Loop {
  const step =
    filterBy === undefined ? add : factory.call(at, '_?_:_', [filterBy, add, factory.ident(at, accumulator)]);
  const condition = factory.literal(at, { type: 'bool', value: true });
  return { init, condition, step, result: factory.ident(at, accumulator) };
}

/** `target.optMap(v, e)`: when the target has a value, `e` with `v` bound to it. */
function optional(call: MacroCall, name: string, wrap: (value: Expr) => Expr): Expr | Issue {
  const { factory, at, target, args } = call;
  const [variable, value] = args;
  if (variable?.kind !== 'ident') {
    return { at: variable!.at, message: `${name}() variable name must be a simple identifier` };
  }
  const bound = bind(call, variable.name, factory.call(at, 'value', [], factory.copy(target!)), value!);
  return factory.call(at, '_?_:_', [
    factory.call(at, 'hasValue', [], target),
    wrap(bound),
    factory.call(at, 'optional.none', []),
  ]);
}

/** `list.sortBy(e, key)`: the list sorted by its keys. */
function sortBy(call: MacroCall): Expr | Issue {
  const { factory, at, target } = call;
  const input = '@__sortBy_input__';
  const keys = mapOver({ ...call, target: factory.ident(at, input) });
  if (isIssue(keys)) return keys;
  return bind(call, input, target!, factory.call(at, '@sortByAssociatedKeys', [keys], factory.ident(at, input)));
}

/** Binds a value to a name: a loop over an empty list whose accumulator has the name. */
function bind({ factory, at }: MacroCall, name: string, value: Expr, result: Expr): Expr {
  return factory.comprehension(at, {
    range: factory.list(at, []),
    variable: unused,
    variable2: undefined,
    accumulator: name,
    init: value,
    condition: factory.literal(at, { type: 'bool', value: false }),
    step: factory.ident(at, name),
    result,
  });
}

function comprehension({ factory, at, target }: MacroCall, [variable, variable2]: Names, parts: Loop): Expr {
  return factory.comprehension(at, { range: target!, variable, variable2, accumulator, ...parts });
}

function variableNames(args: readonly Expr[], complaint: string): Names | Issue {
  const names: string[] = [];
  for (const arg of args) {
    if (arg.kind !== 'ident') return { at: arg.at, message: complaint };
    if (names.includes(arg.name)) return { at: arg.at, message: `duplicate variable name: ${arg.name}` };
    if (arg.name === '__result__') return { at: arg.at, message: 'iteration variable overwrites accumulator variable' };
    names.push(arg.name);
  }
  return names as unknown as Names;
}
