/**
 * Finds regular expressions that a backtracking engine may match in more than linear time. Such an expression has two
 * repetitions, `p` and `q`, and a word that leads from `p` to `p`, from `p` to `q` and from `q` to `q`: a text that repeats
 * the word can be divided between them at every place, and all divisions are tried when what follows does not match. A
 * search that does not begin with `^` counts as one that begins with a repetition of any character.
 *
 * The expression is read as an automaton with one state for each of its characters. Lookarounds are examined apart, back
 * references and word boundaries are left out, and counted repetitions are shortened, which keeps all that repeats without
 * a bound.
 */
export function isSuperLinear(pattern: string, flags: string): boolean {
  const parser = new Parser(pattern, flags);
  const whole = parser.read();
  return [whole, ...parser.lookarounds].some(
    (node) => isAmbiguous(node, false) || (!flags.includes('y') && isAmbiguous(node, true)),
  );
}

type Node =
  | { readonly type: 'character'; readonly set: bigint }
  | { readonly type: 'start' }
  | { readonly type: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly type: 'optional'; readonly part: Node }
  | { readonly type: 'repeat'; readonly part: Node };

const empty: Node = { type: 'sequence', parts: [] };
/** All of ASCII, and of the rest what JavaScript's classes tell apart. */
const alphabet = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'\u00a0µéſK漢\u2028\ufeff',
];
const everything = (1n << BigInt(alphabet.length)) - 1n;
const newLine = 1n << 10n;

class Parser {
  readonly lookarounds: Node[] = [];
  readonly #pattern: string;
  readonly #flags: string;
  #at = 0;

  constructor(pattern: string, flags: string) {
    this.#pattern = pattern;
    this.#flags = flags;
  }

  read(): Node {
    const node = this.#choice();
    if (this.#at < this.#pattern.length) throw new Error(`Cannot read /${this.#pattern}/ at ${this.#at}`);
    return node;
  }

  #take(expression: RegExp): string | undefined {
    const sticky = new RegExp(expression, 'y');
    sticky.lastIndex = this.#at;
    const text = sticky.exec(this.#pattern)?.[0];
    this.#at += text?.length ?? 0;
    return text;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#take(/\|/) !== undefined) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { type: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at]!)) {
      parts.push(this.#counted(this.#atom()));
    }
    return { type: 'sequence', parts };
  }

  #counted(part: Node): Node {
    const sign = this.#take(/[*+?]|\{\d+(?:,\d*)?\}/);
    if (sign === undefined) return part;
    this.#take(/\?/);
    if (sign === '*') return { type: 'optional', part: { type: 'repeat', part } };
    if (sign === '+') return { type: 'repeat', part };
    if (sign === '?') return { type: 'optional', part };
    const [least = '', most = least] = sign.slice(1, -1).split(',');
    const needed: Node[] = Array.from({ length: Math.min(Number(least), 2) }, () => part);
    const further: Node = { type: 'optional', part: most === '' ? { type: 'repeat', part } : part };
    return { type: 'sequence', parts: most === least ? needed : [...needed, further] };
  }

  #atom(): Node {
    const group = this.#take(/\((?:\?(?:<?[=!]|:|<\w+>))?/);
    if (group !== undefined) {
      const inside = this.#choice();
      if (this.#take(/\)/) === undefined) throw new Error(`Cannot read /${this.#pattern}/: a group does not end`);
      if (!/[=!]$/.test(group)) return inside;
      this.lookarounds.push(inside);
      return empty;
    }
    if (this.#take(/\^/) !== undefined) {
      return this.#flags.includes('m') ? { type: 'character', set: newLine } : { type: 'start' };
    }
    // Has no character that could follow: all before it is tried again.
    if (this.#take(/\$/) !== undefined) return { type: 'character', set: 0n };
    if (this.#take(/\\(?:[bB1-9]|k<\w+>)/) !== undefined) return empty;
    const one = this.#take(/\[(?:[^\]\\]|\\.)*\]|\\(?:u\{[^}]*\}|u.{4}|x..|c.|[pP]\{[^}]*\}|.)|[\s\S]/)!;
    const test = new RegExp(`^${one}$`, this.#flags.replace(/[gym]/g, ''));
    return { type: 'character', set: setOf((character) => test.test(character)) };
  }
}

function setOf(isIn: (character: string) => boolean): bigint {
  return alphabet.reduce((set, character, index) => (isIn(character) ? set | (1n << BigInt(index)) : set), 0n);
}

interface Ends {
  readonly isNullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

/** Each character of an expression is a state, which is entered with one of the characters of its set. */
class Automaton {
  readonly sets: bigint[] = [];
  readonly follow: Set<number>[] = [];
  /** Steps that two repetitions allow, one inside the other. */
  readonly doubled: (readonly [from: number, to: number])[] = [];
  readonly #isSearch: boolean;

  constructor(isSearch: boolean) {
    this.#isSearch = isSearch;
  }

  add(node: Node): Ends {
    if (node.type === 'character') return this.#state(node.set);
    // Only the first place of a text is its start: a search does not come there again.
    if (node.type === 'start') return this.#isSearch ? this.#state(0n) : { isNullable: true, first: [], last: [] };
    if (node.type === 'optional') return { ...this.add(node.part), isNullable: true };
    if (node.type === 'repeat') {
      const ends = this.add(node.part);
      this.#connect(ends.last, ends.first);
      return ends;
    }
    const parts = node.parts.map((part) => this.add(part));
    return node.type === 'choice' ? chosen(parts) : parts.reduce((before, part) => this.#joined(before, part), nothing);
  }

  #state(set: bigint): Ends {
    const state = this.sets.push(set) - 1;
    this.follow.push(new Set());
    return { isNullable: false, first: [state], last: [state] };
  }

  #joined(before: Ends, after: Ends): Ends {
    this.#connect(before.last, after.first);
    return {
      isNullable: before.isNullable && after.isNullable,
      first: before.isNullable ? [...before.first, ...after.first] : before.first,
      last: after.isNullable ? [...before.last, ...after.last] : after.last,
    };
  }

  #connect(from: readonly number[], to: readonly number[]): void {
    for (const state of from) {
      for (const next of to) {
        if (this.follow[state]!.has(next)) this.doubled.push([state, next]);
        this.follow[state]!.add(next);
      }
    }
  }

  /** The states that can be reached from some, by one character or more. */
  reach(starts: Iterable<number>): Set<number> {
    const reached = new Set<number>();
    const pending = [...starts];
    for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
      if (reached.has(state) || this.sets[state] === 0n) continue;
      reached.add(state);
      pending.push(...this.follow[state]!);
    }
    return reached;
  }
}

const nothing: Ends = { isNullable: true, first: [], last: [] };

function chosen(parts: readonly Ends[]): Ends {
  return {
    isNullable: parts.some(({ isNullable }) => isNullable),
    first: parts.flatMap(({ first }) => first),
    last: parts.flatMap(({ last }) => last),
  };
}

function isAmbiguous(node: Node, isSearch: boolean): boolean {
  const automaton = new Automaton(isSearch);
  const any: Node = { type: 'repeat', part: { type: 'character', set: everything } };
  const before = isSearch ? automaton.add({ type: 'optional', part: any }) : nothing;
  const ends = automaton.add(node);
  // An expression that matches nothing at all matches where the search begins.
  if (isSearch && ends.isNullable) return false;
  for (const state of before.last) for (const next of ends.first) automaton.follow[state]!.add(next);
  const reachable = automaton.reach([...before.first, ...ends.first]);
  const below = automaton.follow.map((next) => automaton.reach(next));
  // Where the expression may end, it has matched, and nothing is tried again.
  const loops = [...reachable].filter((state) => below[state]!.has(state));
  const retried = loops.filter((state) => !ends.last.includes(state));
  if (automaton.doubled.some(([from, to]) => retried.includes(from) && below[to]!.has(from))) return true;
  return loops.some((p) => retried.some((q) => p !== q && below[p]!.has(q) && isShared(automaton, below, p, q)));
}

/** Whether one word leads from `p` to `p`, from `p` to `q` and from `q` to `q`. */
function isShared({ sets, follow }: Automaton, below: readonly ReadonlySet<number>[], p: number, q: number): boolean {
  const leads = (state: number, end: number): boolean => state === end || below[state]!.has(end);
  const seen = new Set<string>();
  const pending: (readonly [number, number, number])[] = [[p, p, q]];
  for (let triple = pending.pop(); triple !== undefined; triple = pending.pop()) {
    for (const a of follow[triple[0]]!) {
      if (!leads(a, p)) continue;
      for (const b of follow[triple[1]]!) {
        if ((sets[a]! & sets[b]!) === 0n || !leads(b, q)) continue;
        for (const c of follow[triple[2]]!) {
          if ((sets[a]! & sets[b]! & sets[c]!) === 0n || !leads(c, q)) continue;
          if (a === p && b === q && c === q) return true;
          const key = `${a} ${b} ${c}`;
          if (!seen.has(key)) pending.push([a, b, c]);
          seen.add(key);
        }
      }
    }
  }
  return false;
}
