import { quote } from '@pintle/machinery/errors';
import { BOOL, INT, STRING, structType, type Type } from '../types/type.ts';
import { toInt } from '../values/numbers.ts';
import { CelError, OpaqueValue, type Value } from '../values/value.ts';
import { func, global, type Library, member } from './declare.ts';

const SEMVER = structType('kubernetes.Semver');
const maxUint64 = 2n ** 64n - 1n;

/** Major, minor and patch version. */
type Numbers = readonly [bigint, bigint, bigint];

class Semver extends OpaqueValue {
  readonly type: Type = SEMVER;
  readonly numbers: Numbers;
  readonly prerelease: readonly string[];

  constructor(numbers: Numbers, prerelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  /** Ignores build metadata. */
  equals(other: OpaqueValue): boolean {
    return other instanceof Semver && compare(this, other) === 0;
  }
}

function compare(a: Semver, b: Semver): number {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] < b.numbers[index] ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(b.prerelease.length - a.prerelease.length);
  const length = Math.min(a.prerelease.length, b.prerelease.length);
  for (let index = 0; index < length; index++) {
    const order = compareIdentifiers(a.prerelease[index]!, b.prerelease[index]!);
    if (order !== 0) return order;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}

/** Numbers come before words and are compared numerically. */
function compareIdentifiers(a: string, b: string): number {
  const areNumbers = [isNumeric(a), isNumeric(b)] as const;
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
  if (a === b) return 0;
  if (areNumbers[0]) return BigInt(a) < BigInt(b) ? -1 : 1;
  return a < b ? -1 : 1;
}

function isNumeric(text: string): boolean {
  return /^[0-9]*$/.test(text);
}

/** Parses a semantic version, or returns the error of Kubernetes' parser. */
function parse(text: string): Semver | CelError {
  if (text === '') return new CelError('Version string empty');
  const match = /^([^.]*)\.([^.]*)\.(.*)$/s.exec(text);
  if (match === null) return new CelError('No Major.Minor.Patch elements found');
  const plus = match[3]!.indexOf('+');
  const build = plus < 0 ? [] : match[3]!.slice(plus + 1).split('.');
  const version = plus < 0 ? match[3]! : match[3]!.slice(0, plus);
  const dash = version.indexOf('-');
  const prerelease = dash < 0 ? [] : version.slice(dash + 1).split('.');
  const numbers: bigint[] = [];
  for (const [name, digits] of [
    ['major', match[1]!],
    ['minor', match[2]!],
    ['patch', dash < 0 ? version : version.slice(0, dash)],
  ] as const) {
    const number = readNumber(name, digits);
    if (number instanceof CelError) return number;
    numbers.push(number);
  }
  const problem =
    prerelease.map(prereleaseProblem).find((found) => found !== undefined) ??
    build.map(buildProblem).find((found) => found !== undefined);
  return problem === undefined ? new Semver(numbers as unknown as Numbers, prerelease) : new CelError(problem);
}

function readNumber(name: string, digits: string): bigint | CelError {
  if (!isNumeric(digits)) return new CelError(`Invalid character(s) found in ${name} number ${quote(digits)}`);
  if (digits.length > 1 && digits[0] === '0') {
    return new CelError(
      `${name[0]!.toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${quote(digits)}`,
    );
  }
  const parsing = `strconv.ParseUint: parsing ${quote(digits)}:`;
  if (digits === '') return new CelError(`${parsing} invalid syntax`);
  const value = digits.length > 30 ? maxUint64 + 1n : BigInt(digits);
  return value > maxUint64 ? new CelError(`${parsing} value out of range`) : value;
}

function prereleaseProblem(part: string): string | undefined {
  if (part === '') return 'Prerelease is empty';
  if (isNumeric(part)) {
    const hasLeadingZero = part.length > 1 && part[0] === '0';
    return hasLeadingZero ? `Numeric PreRelease version must not contain leading zeroes ${quote(part)}` : undefined;
  }
  return /^[0-9A-Za-z-]+$/.test(part) ? undefined : `Invalid character(s) found in prerelease ${quote(part)}`;
}

function buildProblem(part: string): string | undefined {
  if (part === '') return 'Build meta data is empty';
  return /^[0-9A-Za-z-]+$/.test(part) ? undefined : `Invalid character(s) found in build meta data ${quote(part)}`;
}

/** Accepts a leading `v`, leading zeros and missing parts. */
function parseTolerant(text: string): Semver | CelError {
  const [major = '', minor, patch] = splitInThree(text.replace(/^v/, ''));
  const parts = [major, minor, patch].filter((part) => part !== undefined).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1)!)) {
    return new CelError('short version cannot contain PreRelease/Build meta data');
  }
  while (parts.length < 3) parts.push('0');
  return parse(parts.join('.'));
}

function splitInThree(text: string): readonly string[] {
  const [first = '', second, ...rest] = text.split('.');
  return [first, ...(second === undefined ? [] : [second]), ...(rest.length === 0 ? [] : [rest.join('.')])];
}

/** Keeps a part of one byte, even a zero. */
function withoutZeros(part: string): string {
  if (/^[\0-\x7f]?$/.test(part)) return part;
  const rest = part.replace(/^0+/, '');
  return /^[0-9]/.test(rest) ? rest : `0${rest}`;
}

const read = (text: string, isTolerant: boolean): Semver | CelError => (isTolerant ? parseTolerant(text) : parse(text));
const part =
  (index: 0 | 1 | 2) =>
  ({ numbers }: Semver): Value =>
    toInt(numbers[index]);
const two = [SEMVER, SEMVER];

export const semverLibrary: Library = {
  name: 'kubernetes.Semver',
  functions: [
    func(
      'semver',
      global('string_to_semver', [STRING], SEMVER, parse),
      global('string_bool_to_semver', [STRING, BOOL], SEMVER, read),
    ),
    func(
      'isSemver',
      global('is_semver_string', [STRING], BOOL, (text: string) => parse(text) instanceof Semver),
      global(
        'is_semver_string_bool',
        [STRING, BOOL],
        BOOL,
        (text: string, isTolerant: boolean) => read(text, isTolerant) instanceof Semver,
      ),
    ),
    func(
      'isGreaterThan',
      member('semver_is_greater_than', two, BOOL, (a: Semver, b: Semver) => compare(a, b) > 0),
    ),
    func(
      'isLessThan',
      member('semver_is_less_than', two, BOOL, (a: Semver, b: Semver) => compare(a, b) < 0),
    ),
    func('compareTo', member('semver_compare_to', two, INT, compare)),
    func('major', member('semver_major', [SEMVER], INT, part(0))),
    func('minor', member('semver_minor', [SEMVER], INT, part(1))),
    func('patch', member('semver_patch', [SEMVER], INT, part(2))),
  ],
};
