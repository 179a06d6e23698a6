import type { World } from './world.ts';

/** A name with a part that differs by chance, such as the beginning of a uid: `blog-a2c87222`. */
interface NamePattern {
  /** `configmaps default/` */
  readonly place: string;
  readonly start: string;
  readonly end: string;
  readonly length: number;
}

/** Shorter parts may be equal by accident, or be numbers that count. */
const MIN_LENGTH = 4;

/** Names that operators make of what differs by chance: runs without faults have them in pairs that differ in one part. */
export class ChanceNames {
  static readonly none = new ChanceNames([]);
  readonly #patterns: readonly NamePattern[];

  private constructor(patterns: readonly NamePattern[]) {
    this.#patterns = patterns;
  }

  /** Learns from objects that only one of two worlds has. */
  static between(one: World, other: World): ChanceNames {
    const lone = [...one.keys()].filter((key) => !other.has(key));
    const others = [...other.keys()].filter((key) => !one.has(key));
    const patterns = lone.flatMap((key) => {
      const [best] = others
        .flatMap((each) => patternOf(key, each) ?? [])
        .sort((a, b) => b.start.length + b.end.length - a.start.length - a.end.length);
      return best ?? [];
    });
    return new ChanceNames(patterns);
  }

  get isEmpty(): boolean {
    return this.#patterns.length === 0;
  }

  /** Returns the name with `*` in place of what differs, for an object such as `configmaps default/blog-a2c87222`. */
  of(key: string): string | undefined {
    const found = this.#patterns.find(
      ({ place, start, end, length }) =>
        key.length === place.length + start.length + length + end.length &&
        key.startsWith(`${place}${start}`) &&
        key.endsWith(end) &&
        isMadeUp(key.slice(place.length + start.length, key.length - end.length)),
    );
    return found && `${found.start}*${found.end}`;
  }
}

function patternOf(one: string, other: string): NamePattern | undefined {
  const [place, name] = split(one);
  const [otherPlace, otherName] = split(other);
  if (place !== otherPlace || name.length !== otherName.length) return undefined;
  const differs = [...name].map((char, index) => char !== otherName[index]);
  // Characters next to those that differ may be equal by chance: the part goes from one separator to the next.
  const start = name.slice(0, differs.indexOf(true)).search(/[^-.]*$/);
  const last = differs.lastIndexOf(true);
  const rest = name.slice(last).search(/[-.]/);
  const end = rest < 0 ? name.length : last + rest;
  const parts = [name.slice(start, end), otherName.slice(start, end)];
  if (end - start < MIN_LENGTH || !parts.every(isMadeUp)) return undefined;
  return { place, start: name.slice(0, start), end: name.slice(end), length: end - start };
}

function isMadeUp(part: string): boolean {
  return /^[0-9a-z-]+$/.test(part) && /[0-9]/.test(part);
}

function split(key: string): [place: string, name: string] {
  const at = Math.max(key.indexOf(' '), key.lastIndexOf('/')) + 1;
  return [key.slice(0, at), key.slice(at)];
}
