import { DYN, isDynOrError, isSameType, type Type } from './type.ts';

/** Bindings of type parameters. A test of assignability may bind parameters; a failed one undoes that. */
export class Bindings {
  readonly #bound = new Map<string, Type>();
  /** Bound parameters and their former types, in order. */
  readonly #trail: [name: string, before: Type | undefined][] = [];
  #fresh = 0;

  newParameter(): Type {
    return { kind: 'param', name: `_var${this.#fresh++}`, params: [] };
  }

  /** True when a value of `given` is assignable to `expected`. Binds parameters. */
  isAssignable(expected: Type, given: Type): boolean {
    return this.#attempt(() => this.#fits(expected, given));
  }

  areAssignable(expected: readonly Type[], given: readonly Type[]): boolean {
    return this.#attempt(() => this.#allFit(expected, given));
  }

  /** Returns the type with its parameters replaced. Unbound ones stay, or become `dyn`. */
  resolve(type: Type, openToDyn = false): Type {
    if (type.kind === 'param') {
      const bound = this.#bound.get(type.name);
      if (bound !== undefined) return this.resolve(bound, openToDyn);
      return openToDyn ? DYN : type;
    }
    if (type.params.length === 0) return type;
    return { ...type, params: type.params.map((param) => this.resolve(param, openToDyn)) };
  }

  /** True when the expanded type has at most `maxParts` parts; types that contain another twice grow fast. */
  isWithin(maxParts: number, type: Type): boolean {
    let parts = 0;
    const waiting = [type];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (++parts > maxParts) return false;
      const bound = next.kind === 'param' ? this.#bound.get(next.name) : undefined;
      if (bound === undefined) waiting.push(...next.params);
      else waiting.push(bound);
    }
    return true;
  }

  #attempt(fits: () => boolean): boolean {
    const mark = this.#trail.length;
    if (fits()) return true;
    while (this.#trail.length > mark) {
      const [name, before] = this.#trail.pop()!;
      if (before === undefined) this.#bound.delete(name);
      else this.#bound.set(name, before);
    }
    return false;
  }

  #bind(parameter: Type, type: Type): void {
    this.#trail.push([parameter.name, this.#bound.get(parameter.name)]);
    this.#bound.set(parameter.name, type);
  }

  #allFit(a: readonly Type[], b: readonly Type[]): boolean {
    return a.length === b.length && a.every((type, index) => this.#fits(type, b[index]!));
  }

  #fits(a: Type, b: Type): boolean {
    if (b.kind === 'param') {
      const { valid, wasBound } = this.#substitutes(a, b);
      if (valid || wasBound) return valid;
    }
    if (a.kind === 'param') return this.#substitutes(b, a).valid;
    if (isDynOrError(a) || isDynOrError(b)) return true;
    if (a.kind === 'null' || b.kind === 'null') return isNullable(a.kind === 'null' ? b : a);
    if (a.kind === 'type') return b.kind === 'type';
    if (a.kind === 'list' || a.kind === 'map' || a.kind === 'opaque') {
      return a.kind === b.kind && a.name === b.name && this.#allFit(a.params, b.params);
    }
    return isSameType(a, b);
  }

  /** True when a parameter may stand for the type: it is bound to it, or may be. */
  #substitutes(type: Type, parameter: Type): { readonly valid: boolean; readonly wasBound: boolean } {
    if (isSameType(type, parameter)) return { valid: true, wasBound: true };
    const bound = this.#bound.get(parameter.name);
    if (bound !== undefined) {
      if (isSameType(type, bound)) return { valid: true, wasBound: true };
      if (!this.#fits(type, bound)) return { valid: false, wasBound: true };
      const general = mostGeneral(type, bound);
      if (!this.#occursIn(parameter, general)) this.#bind(parameter, general);
      return { valid: true, wasBound: true };
    }
    if (this.#occursIn(parameter, type)) return { valid: false, wasBound: false };
    this.#bind(parameter, type);
    return { valid: true, wasBound: false };
  }

  #occursIn(parameter: Type, type: Type): boolean {
    if (isSameType(parameter, type)) return true;
    if (type.kind === 'param') {
      const bound = this.#bound.get(type.name);
      return bound !== undefined && this.#occursIn(parameter, bound);
    }
    return type.params.some((param) => this.#occursIn(parameter, param));
  }
}

export function mostGeneral(a: Type, b: Type): Type {
  return isAsGeneral(a, b) ? a : b;
}

function isNullable({ kind }: Type): boolean {
  return kind === 'null' || kind === 'opaque' || kind === 'struct' || kind === 'duration' || kind === 'timestamp';
}

function isAsGeneral(a: Type, b: Type): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => isAsGeneral(param, b.params[index]!));
}
