import { describe, expect, test } from 'vitest';
import { compileErrorOf, run } from './testing/evaluate.ts';
import { dynamicValue } from './values/dynamic-value.ts';
import { JsonList } from './values/json-values.ts';
import type { Value } from './values/value.ts';

/**
 * Bounds the processor time of an attack. Built code takes a twentieth of it: here each use of an import is a call, and threads of other
 * tests count too. Without a limit, attacks take tens of seconds.
 */
const maxMs = 2_500;

/** The second run counts: code that has never run is not what an attacker can repeat. */
function expectQuick(attack: () => unknown): void {
  attack();
  const before = process.cpuUsage();
  attack();
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(maxMs);
}

describe('expressions that are hostile to whoever compiles them', () => {
  test.each<[string, string]>([
    ['parentheses in parentheses', '('.repeat(40_000) + ')'.repeat(40_000)],
    ['lists in lists', '['.repeat(40_000) + ']'.repeat(40_000)],
    ['negations', `${'!'.repeat(90_000)}true`],
    ['a long chain of alternatives', Array(8_000).fill('s == s').join(' || ')],
    ['a long sum', Array(40_000).fill('1').join('+')],
    ['a long chain of fields', `d${'.a'.repeat(45_000)}`],
    ['a long chain of calls', `s${'.trim()'.repeat(14_000)}`],
    ['conditions in conditions', `${'true ? 1 : '.repeat(9_000)}1`],
    ['a huge list', `[${Array(33_000).fill('1').join(', ')}]`],
    ['macros that copy what they are applied to', `optional.of(1)${'.optMap(x, x)'.repeat(240)}`],
    ['loops in loops', `${Array.from({ length: 200 }, (_, i) => `list.all(x${i}, `).join('')}true${')'.repeat(200)}`],
    ['types in types', `${'['.repeat(200)}1${']'.repeat(200)} == ${'['.repeat(200)}1${']'.repeat(200)}`],
    ['a type that doubles', `[1]${'.map(a, {a: a})'.repeat(200)}`],
    ['bytes of many escapes', `b'${'\\\\x41é'.repeat(15_000)}'`],
    ['nothing but quotes', "'".repeat(99_999)],
    ['nothing but errors', '$#@~^'.repeat(19_000)],
    ['names that do not exist', `[${Array(33_000).fill('q').join(',')}]`],
    ['more than anyone may write', '1'.repeat(1_000_000)],
  ])('%s', (_, source) => {
    expectQuick(() => compileErrorOf(source));
  });
});

describe('expressions that are hostile to whoever evaluates them', () => {
  const s = 'x'.repeat(1_000_000);
  const list = new JsonList(
    Array.from({ length: 100_000 }, (_, i) => i),
    (json) => json as Value,
  );
  const strings = new JsonList(
    Array.from({ length: 100_000 }, () => ''),
    (json) => json as Value,
  );
  const untyped = dynamicValue({
    list: Array.from({ length: 100_000 }, (_, i) => i),
    keys: Array.from({ length: 100_000 }, (_, i) => `a.b/${`${i}`.padStart(6, '0')}`),
    numbers: Array.from({ length: 30_000 }, (_, i) => `abc${i}`),
    s,
    t: `${s}y`,
    long: Array.from({ length: 2_000 }, (_, i) => `${'p'.repeat(1_000)}${(i * 7_919) % 2_000}`),
  });
  const letters = Array.from({ length: 1_900 }, (_, i) => 'ab'[((i * i * 7) >> 3) & 1]).join('');
  test.each<[string, string, Readonly<Record<string, Value>>]>([
    ['a text replaced by itself', "s.replace('', s)", { s }],
    ['a text joined with itself', 'list.map(x, s).join(s)', { s, list }],
    ['a list that doubles', `[[0, 0]]${'.map(a, a + a)'.repeat(60)}[0].size() > 0`, {}],
    ['a long range', 'lists.range(9223372036854775807).size() > 0', {}],
    ['everything compared with everything', 'list.distinct().size() > 0 || sets.equivalent(list, list)', { list }],
    ['loops in loops', 'list.all(x, list.all(y, list.all(z, x + y + z >= 0)))', { list }],
    ['the size of a long text, again and again', 'list.all(x, s.size() > 0)', { s, list }],
    ['a character of a long text, again and again', "list.all(x, s.charAt(5) == 'x')", { s, list }],
    ['a long text trimmed', "list.all(x, s.trim() != '')", { s: `a${' '.repeat(900_000)}a`, list }],
    ['values that are large inside', 'list.all(x, [list] == [list])', { list }],
    ['a list printed', "list.all(x, '%s'.format([list]) != '')", { list }],
    [
      'a pattern with more states than can be kept',
      "list.all(x, s.matches('^[ab]*a[ab]{500}$') || true)",
      { s: letters, list },
    ],
    ['patterns that are new each time', "list.all(x, 'a'.matches('a' + string(x)) || true)", { list }],
    ['a match for every character', "s.findAll('x').size() > 0", { s }],
    ['a list joined and indexed, again and again', 'list.all(x, (list + [x])[0] == 0)', { list }],
    ['a list joined and compared, again and again', 'list.all(x, (list + [x]) != [])', { list }],
    ['a list joined and cut, again and again', 'list.all(x, (list + [x]).slice(0, 1) == [0])', { list }],
    ['lists made flat, again and again', 'list.all(x, [list, list, list].flatten().size() > 0)', { list }],
    ['texts of nothing joined, again and again', "list.all(x, strings.join() == '')", { list, strings }],
    ['texts of nothing in order, again and again', 'list.all(x, strings.isSorted())', { list, strings }],
    ['texts of nothing looked for, again and again', "list.all(x, strings.indexOf('x') < 0)", { list, strings }],
    ['a set beside an empty one, again and again', 'list.all(x, !sets.intersects(list, []))', { list }],
    ['zones that do not exist', "list.all(x, timestamp(x).getHours('Nowhere/' + string(x)) == 0 || true)", { list }],
    ['an item looked for in a list without types, again and again', 'd.list.all(x, !(-1 in d.list))', { d: untyped }],
    ['keys that must all be among others, without types', 'd.keys.all(key, key in d.keys)', { d: untyped }],
    ['long texts without types joined, again and again', "d.list.all(x, d.s + d.s != '')", { d: untyped }],
    ['long texts without types compared, again and again', 'd.list.all(x, d.s < d.t)', { d: untyped }],
    [
      'long bytes without types read, again and again',
      "[bytes(d.s)].all(b, d.list.all(x, string(dyn(b)) != ''))",
      { d: untyped },
    ],
    ['long texts without types sorted, again and again', 'd.list.all(x, d.long.sort().size() > 0)', { d: untyped }],
    ['the greatest of short texts, again and again', "d.list.all(x, d.numbers.max() != '')", { d: untyped }],
    ['long lists told apart, again and again', 'list.all(x, [list, list].distinct().size() == 1)', { list }],
    ['a long text as hexadecimal digits, again and again', "list.all(x, '%x'.format([s]) != '')", { s, list }],
    ['the size of a text of rare characters', 'list.all(x, s.size() > 0)', { s: '\u{1f600}'.repeat(4_500), list }],
    ['a rare character', "list.all(x, s.charAt(2000) != '')", { s: '\u{1f600}'.repeat(4_500), list }],
    [
      'a text of rare characters printed',
      "list.all(x, '%s'.format([s]) != '')",
      { s: '\u{1f600}'.repeat(4_500), list },
    ],
    ['many matches', "list.all(x, 'aaaaaaaaaaaaaaaaaaaaaaaa'.findAll('a').size() > 0)", { list }],
    ['texts that are no quantities', 'list.all(x, quantity(string(x) + "x").isInteger() || true)', { list }],
    ['many addresses', "list.all(x, cidr('2001:db8::/32').masked().containsCIDR('2001:db8::1/64') || true)", { list }],
    ['many URLs', "list.all(x, url('https://a.b/c?d=e&f=g').getQuery().size() > 0)", { list }],
    ['a long query', 'url(s).getQuery().size() > 0', { s: `http://a/?${'a&'.repeat(200_000)}` }],
    ['a long address', 'isIP(s) || isCIDR(s) || isSemver(s) || isQuantity(s) || isURL(s)', { s: '1.'.repeat(400_000) }],
  ])('%s', (_, source, variables) => {
    expectQuick(() => run(source, variables));
  });
});

describe('what nobody may write is refused, however quickly it could be read', () => {
  const nested = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
  test.each<[string, string, string]>([
    ['more characters', '1'.repeat(100_001), 'expression code point size exceeds limit: size: 100001, limit 100000'],
    ['deeper parentheses', nested('(', ')', 251), 'expression recursion limit exceeded: 250'],
    ['deeper lists', nested('[', ']', 251), 'expression recursion limit exceeded: 250'],
    ['a longer sum', Array(252).fill('1').join('+'), 'expression recursion limit exceeded: 250'],
    ['a longer chain', `s${'.trim()'.repeat(251)}`, 'expression recursion limit exceeded: 250'],
    ['more of everything', `[${Array(49_000).fill('1').join(',')}]`, 'nodes'],
  ])('%s', (_, source, why) => {
    expect(compileErrorOf(source)).toContain(why);
  });
});

describe('what would grow beyond all bounds is not made', () => {
  const s = 'x'.repeat(5_000);
  const list = new JsonList(
    Array.from({ length: 5_000 }, (_, i) => i),
    (json) => json as Value,
  );
  test.each([
    "s.replace('', s).size() > 0",
    'list.map(x, s).join().size() > 0',
    "'%s'.format([list.map(x, s)]).size() > 0",
    'lists.range(3000000).size() > 0',
    '[list.map(x, list)].flatten(2).size() > 0',
  ])('%s', (source) => {
    const { value } = run(source, { s, list });
    expect(value).toMatchObject({ message: 'operation cancelled: actual cost limit exceeded' });
  });
});
