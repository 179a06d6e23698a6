import { describe, expect, test } from 'vitest';
import { compileErrorOf, evaluate, run } from './testing/evaluate.ts';

/** Expressions that must be true. */
function holds(...expressions: readonly string[]): void {
  test.each(expressions)('%s', (expression) => {
    expect(evaluate(expression)).toBe(true);
  });
}

/** Expressions and why they have no value. */
function fails(cases: Readonly<Record<string, string>>): void {
  test.each(Object.entries(cases))('%s fails: %s', (expression, message) => {
    expect(evaluate(expression)).toBe(`error: ${message}`);
  });
}

describe('numbers', () => {
  holds(
    '1 + 2 * 3 == 7 && (1 + 2) * 3 == 9',
    '-7 / 2 == -3 && -7 % 2 == -1',
    '9007199254740993 - 1 == 9007199254740992',
    '9223372036854775807 - 1 == 9223372036854775806',
    '0x1F == 31 && 0xffu == 255u && 1e3 == 1000.0 && .5 == 0.5',
    '5u + 3u == 8u && 7u / 2u == 3u',
    'dyn(1) == dyn(1u) && dyn(1) == dyn(1.0) && 1 < 1.5 && 2u > 1 && 1 in [1, 2]',
    "double('NaN') != double('NaN') && !(double('NaN') < 1.0)",
    "string(1.5) == '1.5' && string(1000000.0) == '1e+06' && string(1e100) == '1e+100' && string(0.00001) == '1e-05'",
    "int(1.9) == 1 && int(-1.9) == -1 && int('42') == 42 && uint(7) == 7u && double('1e2') == 100.0",
    'dyn(9223372036854775807) == 9223372036854775808.0 && [7, 8][dyn(1.0)] == 8 && [7, 8][dyn(0u)] == 7',
    '-(-5) == 5 && --5 == 5 && 5 - -5 == 10',
  );
  fails({
    '9223372036854775807 + 1': 'integer overflow',
    '-9223372036854775808 - 1': 'integer overflow',
    '9223372036854775807 * 2': 'integer overflow',
    '-9223372036854775808 / -1': 'integer overflow',
    '-(-9223372036854775807 - 1)': 'integer overflow',
    '3u - 5u': 'unsigned integer overflow',
    '1 / 0': 'division by zero',
    '1 % 0': 'modulus by zero',
    'int(1e18 * 10.0)': 'integer overflow',
  });
});

describe('strings', () => {
  holds(
    '\'a\\n\\t\\x41\\u00e9\\U0001F600\\101\' == "a\\n\\tAé😀A"',
    "r'\\d' == '\\\\d' && '''it's''' == \"it's\" && \"\"\"a\"b\"\"\" == 'a\"b'",
    "'😀😀'.size() == 2 && 'naïve'.size() == 5 && b'é'.size() == 2 && b'\\xff'.size() == 1",
    "'😀a'.charAt(1) == 'a' && '😀ab'.substring(1, 2) == 'a' && 'a😀b'.indexOf('b') == 2 && 'b😀b'.lastIndexOf('b') == 2",
    "'a,b,,c'.split(',', 2) == ['a', 'b,,c'] && '😀'.split('') == ['😀'] && ''.split(',') == ['']",
    "'hello'.replace('l', 'L', 1) == 'heLlo' && 'ab'.replace('', '-') == '-a-b-' && 'ab'.replace('', '-', 2) == '-a-b'",
    "' \\u00a0a\\u2003'.trim() == 'a' && 'ÄbC'.lowerAscii() == 'Äbc'",
    "'%s %d %.1f %x %o %b %%'.format(['a', 5, 1.25, 255, 8, 5]) == 'a 5 1.2 ff 10 101 %'",
    "'%s'.format([[1e21, -0.0]]) == '[1000000000000000000000.000000, -0.000000]'",
    '{1.5: 1}[1.5] == 1 && {null: 1}.size() == 1 && {1.5: 1} == {1.5: 1}',
    "'%s'.format([[1, 'a', true, null, {'k': 1.5}]]) == '[1, \"a\", true, null, {\"k\":1.500000}]'",
    "strings.quote('a\"\\n') == '\"a\\\\\"\\\\n\"' && ['a', 'b'].join('-') == 'a-b'",
    "'\\uffff' < '😀'",
  );
  fails({
    "'abc'.charAt(4)": 'index out of range: 4',
    "'abc'.substring(2, 1)": 'invalid substring range. start: 2, end: 1',
    "'abc'.indexOf('b', -1)": 'index out of range: -1',
  });
});

describe('lists, maps and loops', () => {
  holds(
    '[1, 2, 3].all(x, x > 0) && ![1, 2].all(x, x > 1) && [].all(x, false)',
    '[1, 2].exists(x, x == 2) && [1, 2, 2].exists_one(x, x == 1)',
    '[1, 2, 3].map(x, x * 2) == [2, 4, 6] && [1, 2, 3].map(x, x > 1, x) == [2, 3] && [1, 2].filter(x, x > 1) == [2]',
    "{'a': 1, 'b': 2}.filter(k, k == 'a') == ['a'] && {1: 'a'}[1] == 'a' && {1u: 'a'}[dyn(1)] == 'a'",
    '[10, 20].transformList(i, v, i + v) == [10, 21] && [1, 2].transformMap(i, v, v > 1, v) == {1: 2}',
    "{'a': 1}.transformMapEntry(k, v, {k + k: v}) == {'aa': 1} && [5].exists(i, v, i == 0 && v == 5)",
    '[[[1], [2]], [[3]]].flatten(2) == [1, 2, 3] && [[1], []].flatten() == [1]',
    "[3, 1, 2].sort() == [1, 2, 3] && ['bb', 'a'].sortBy(x, x.size()) == ['a', 'bb'] && [1, 2].reverse() == [2, 1]",
    '[1, 2, 1].distinct() == [1, 2] && lists.range(3) == [0, 1, 2] && [1, 2, 3].slice(1, 2) == [2]',
    '[1, 2].sum() == 3 && [1.5].sum() == 1.5 && [2, 1].min() == 1 && [1, 2].isSorted() && [1, 2].indexOf(2) == 1',
    "dyn([1.5, 2.5]).sum() == 4.0 && dyn(['b', 'a']).max() == 'b' && dyn([2u]).min() == 2u",
    'sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1]) && !sets.intersects([1], [2])',
    "has({'a': 1}.a) && !has({'a': 1}.b) && 'a' in {'a': 1} && size({'a': 1}) == 1",
    '[1] + [2] == [1, 2] && ([1] + [2] + [3])[2] == 3 && [] == []',
    '[1, 2].map(x, [3].map(y, x + y)) == [[4], [5]]',
  );
  fails({
    '[1][1]': 'index out of bounds: 1',
    "{'a': 1}['b']": 'no such key: b',
    "{'a': 1}.b": 'no such key: b',
    '[0, 1].all(x, 1 / x > 0)': 'division by zero',
    '[0].map(x, 1 / x)': 'division by zero',
    '[1, 2].transformMapEntry(i, v, {0: 1})': 'insert failed: key 0 already exists',
    '[].max()': 'max called on empty list',
    '[1].slice(0, 2)': 'cannot slice(0, 2), list is length 1',
  });
});

describe('errors', () => {
  holds(
    'true || 1 / 0 == 0',
    '1 / 0 == 0 || true',
    '!(false && 1 / 0 == 0)',
    '[0, 5].exists(x, 10 / x == 2)',
    '![0, 5].all(x, 10 / x == 7)',
    'true ? true : 1 / 0 == 0',
    '!has(dyn(1).a) && dyn(1).orValue(2) == 1',
  );
  fails({
    'false || 1 / 0 == 0': 'division by zero',
    'd.x > 1': 'no such attribute(s): d',
    'dyn(1) + dyn("a") == 1': 'no such overload',
    "dyn(1).startsWith('a')": 'no such overload',
    "dyn(quantity('1')) == '1'": 'no such overload',
    'size(dyn(1)) == 1': 'no such overload: size',
    "dyn(1).charAt(0) == 'a'": 'no such overload: charAt(int, int)',
    "'%s'.format([b'\\xff']) == ''":
      'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
    'dyn(1).a == 1': 'no such key: a',
    'dyn(1)[0] == 1': 'no such key: 0',
    "dyn([1])['a'] == 1": "unsupported index type 'string' in list",
    'dyn([1]).a == 1': "unsupported index type 'string' in list",
    'has(dyn([1]).a)': "unsupported index type 'string' in list",
    'dyn([1]).?a.hasValue()': "unsupported index type 'string' in list",
    'dyn([1])[dyn(1.5)] == 1': 'unsupported index value 1.5 in list',
    'dyn(1).all(x, true)': "got 'types.Int', expected iterable type",
    'dyn(1).all(k, v, true)': 'unsupported comprehension range type: types.Int',
    'dyn(null) + dyn(1) == 1': 'no such overload: _+_',
    'dyn({}) < dyn({})': 'no such overload: _<_',
    'dyn(1.5) % dyn(1) == 1': 'no such overload: _%_',
    "dyn('a') - dyn(1) == 1": 'no such overload',
    '-dyn(1u) == 1': 'no such overload: -_',
    "dyn('a').sort() == []": 'no such overload',
    "semver('é', true).major() == 0": 'Invalid character(s) found in major number "0é"',
    'dyn(1).flatten() == []': 'no such overload: int.flatten()',
    '{dyn(1.0): 1}[1] == 1': 'no such key: 1',
    "cidr('10.0.0.0/8').containsIP(dyn('bad'))": 'no such overload',
  });
});

describe('optionals', () => {
  holds(
    "dyn({'a': null}).a == null && has(dyn({'a': null}).a) && dyn({'a': null}).?a.hasValue()",
    "!dyn({'a': null}).?a.?b.hasValue() && !dyn(1).?a.hasValue() && !optional.of(dyn('a')).?b.hasValue()",
    "{'a': 1}.?a.hasValue() && !{'a': 1}.?b.hasValue() && {'a': {'b': 1}}.?a.?b.orValue(0) == 1 && [1][?0].value() == 1",
    '[1][?5].orValue(7) == 7 && optional.of(1).or(optional.of(2)).value() == 1 && optional.none().orValue(3) == 3',
    "[?optional.of(1), ?optional.none()] == [1] && {?'a': optional.of(1), ?'b': optional.none()} == {'a': 1}",
    "optional.of('ab').optMap(x, x.size()).value() == 2 && optional.of(1).optFlatMap(x, optional.none()) == optional.none()",
    'optional.of(1) == optional.of(1) && !optional.ofNonZeroValue(0).hasValue() && [1, 2].last().value() == 2',
    'optional.unwrap([optional.of(1), optional.none()]) == [1]',
    'optional.of(true).orValue(1 / 0 == 0)',
  );
  fails({ 'optional.none().value() == 1': 'optional.none() dereference' });
});

describe('time', () => {
  holds(
    "timestamp('2024-05-06T07:08:09.5Z').getMilliseconds() == 500 && timestamp('2024-05-06T00:00:00+02:00').getDate() == 5",
    "timestamp('2024-05-06T07:08:09Z').getHours('+02:00') == 9 && timestamp('2024-05-06T07:08:09Z').getHours('Europe/Berlin') == 9",
    "timestamp('2024-03-01T00:00:00Z') - timestamp('2024-02-29T00:00:00Z') == duration('24h')",
    "string(timestamp('2024-05-06T00:00:00.25+02:00')) == '2024-05-06T00:00:00.25+02:00' && string(duration('1h1.5s')) == '3601.5s'",
    "duration('-1.5h').getMinutes() == -90 && duration('1ms') < duration('1s') && timestamp(0).getFullYear() == 1970",
    "timestamp('2024-12-31T00:00:00Z').getDayOfYear() == 365 && timestamp('2024-05-05T00:00:00Z').getDayOfWeek() == 0",
  );
  fails({
    "timestamp('9999-12-31T23:59:59Z') + duration('1s')": 'timestamp overflow',
    "duration('200000h') + duration('2400000h')": 'integer overflow',
    "timestamp(0).getHours('Nowhere/City')": 'unknown time zone Nowhere/City',
  });
});

describe("Kubernetes' types", () => {
  holds(
    "ip('2001:DB8::1') == ip('2001:db8::1') && string(ip('::ffff')) == '::ffff' && ip('fe80::1').isLinkLocalUnicast()",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsCIDR('10.0.0.0/7') && cidr('10.1.1.1/8').masked() == cidr('10.0.0.0/8')",
    "!isIP('1.2.3') && !isIP('::ffff:1.2.3.4') && !isCIDR('1.2.3.4/033') && isCIDR('::/0')",
    "quantity('1.5Gi').isGreaterThan(quantity('1Gi')) && quantity('1Ki').add(24) == quantity('1048') && sign(quantity('-1')) == -1",
    "semver('1.2.3-rc.2').isLessThan(semver('1.2.3')) && semver('1.2.3-rc.10').isGreaterThan(semver('1.2.3-rc.9')) && semver('v1.02', true) == semver('1.2.0')",
    "url('https://user@example.com:8443/a%20b?x=1&x=2').getHost() == 'example.com:8443' && url('https://[::1]:80/').getHostname() == '::1'",
    "url('https://a/?x=1&y=a+b%21').getQuery() == {'x': ['1'], 'y': ['a b!']} && url('http://a').getEscapedPath() == ''",
    "!format.dns1123Label().validate('my-name').hasValue() && format.uuid().validate('x').value() == ['does not match the UUID format']",
    "'abc 123'.find('[0-9]+') == '123' && 'a1b2'.findAll('[0-9]', 1) == ['1'] && 'xabcx'.matches('a.c') && !'x'.matches('^y')",
    "type(ip('1.2.3.4')) == net.IP && type(1) == int && type(type(1)) == type && type(null) == null_type",
  );
  fails({
    "ip('010.0.0.1')":
      'IP Address "010.0.0.1" parse error during conversion from string: ParseAddr("010.0.0.1"): IPv4 field has octet with leading zero',
    "cidr('10.0.0.0')":
      'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0"): no \'/\'',
    "semver('1.2')": 'No Major.Minor.Patch elements found',
    "quantity('1m').asInteger()": 'cannot convert value to integer',
    "url('/%zz')": 'URL parse error during conversion from string: parse "/%zz": invalid URL escape "%zz"',
  });
});

describe('what does not compile', () => {
  test.each<[string, string]>([
    ['', "1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true'"],
    ['s ==', "1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true'"],
    ['s = 1', "1:3: Syntax error: token recognition error at: '= '"],
    ['(s', "1:3: Syntax error: missing ')' at '<EOF>'"],
    ["s.startsWith('a'", "1:17: Syntax error: missing ')' at '<EOF>'"],
    ['list[0', "1:7: Syntax error: missing ']' at '<EOF>'"],
    ['[1 2]', "1:4: Syntax error: extraneous input '2' expecting {']', ','}"],
    ['[1, 2', "1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
    ['{1: 2', "1:6: Syntax error: mismatched input '<EOF>' expecting {'}', ','}"],
    ['size(s s)', "1:8: Syntax error: extraneous input 's' expecting ')'"],
    ['s == == s', "1:6: Syntax error: extraneous input '==' expecting {'[', '{', '(', '.', '-', '!', 'true'"],
    ['list[]', "1:6: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', '?', 'true'"],
    ['size(', "1:6: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true'"],
    ['s . - x', "1:5: Syntax error: no viable alternative at input '. -'"],
    ['.other', "1:2: undeclared reference to '.other' (in container '')"],
    ['s..x', "1:3: Syntax error: no viable alternative at input '..'"],
    ['-', "1:2: Syntax error: no viable alternative at input '-'"],
    ['true & false', "1:6: Syntax error: token recognition error at: '& '"],
    ["'\\u00'", "1:1: Syntax error: token recognition error at: ''\\u00''"],
    ["'''abc", "1:3: Syntax error: token recognition error at: ''abc'"],
    ['s.`x`', "1:3: unsupported syntax: '`'"],
    ['true true', "1:6: Syntax error: extraneous input 'true' expecting <EOF>"],
    ["'a", "1:1: Syntax error: token recognition error at: ''a'"],
    ['other', "1:1: undeclared reference to 'other' (in container '')"],
    ['s.shout()', "1:8: undeclared reference to 'shout' (in container '')"],
    ['s.x', "1:2: type 'string' does not support field selection"],
    ['s == 5', "1:3: found no matching overload for '_==_' applied to '(string, int)'"],
    ['s.startsWith(5)', "1:13: found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ['map[5] == 1', "1:4: found no matching overload for '_[_]' applied to '(map(string, int), int)'"],
    ["s in ['a', 5]", "1:12: expected type 'string' but found 'int'"],
    ['s && true', "1:1: expected type 'bool' but found 'string'"],
    [
      'i.all(x, true)',
      "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ["timestamp('2024-01-01t00:00:00z') > timestamp(0)", '1:11: invalid timestamp argument'],
    ["duration(60) > duration('1s')", '1:10: invalid duration argument'],
    ["b'\\u00fc' == b'a'", '1:1: unable to unescape string'],
    ['[1].existsOne(x, x == 1)', "1:14: undeclared reference to 'existsOne' (in container '')"],
    ['has(s)', '1:5: invalid argument to has() macro'],
    ['list.all(1, true)', '1:10: argument must be a simple name'],
    ['list.all(x, x, true)', '1:13: duplicate variable name: x'],
    ["s.matches('a(')", '1:11: invalid matches argument'],
    ["duration('5x') > duration('1s')", '1:10: invalid duration argument'],
    ['9223372036854775808 > 0', '1:1: invalid int literal'],
    [
      "'%d'.format(['x'])",
      '1:14: error during formatting: decimal clause can only be used on integers, was given string',
    ],
    ["'%s'.format([])", '1:12: index 0 out of range'],
    ["'%s'.format(['a', 'b'])", '1:12: too many arguments supplied to string.format (expected 1, got 2)'],
    ['for + 1', '1:1: reserved identifier: for'],
    ['type(dyn) == type', "1:6: undeclared reference to 'dyn' (in container '')"],
    ['Object{a: 1}', "1:7: undeclared reference to 'Object' (in container '')"],
    ["'a\nb'", "1:1: Syntax error: token recognition error at: ''a'"],
  ])('%s', (source, message) => {
    expect(compileErrorOf(source)).toContain(`ERROR: <input>:${message}`);
  });

  test('points at the place, by line and column, and widens its marks with the text', () => {
    expect(compileErrorOf("s == 'é' &&\n\tü")).toContain(
      "ERROR: <input>:2:2: Syntax error: token recognition error at: 'ü'\n |  ü\n | .＾",
    );
  });

  test('constants without a value are found before anything is evaluated', () => {
    expect(compileErrorOf("int('0x1F') == 31")).toBe("type conversion error from 'string' to 'int'");
    expect(compileErrorOf("'abc'.find('[') == ''")).toBe('error parsing regexp: missing closing ]: `[`');
  });
});

describe('cost', () => {
  test.each<[string, number]>([
    ['s', 1],
    ['1 + 1', 1],
    ['s.startsWith("ab")', 2],
    ['[1, 2].all(x, x > 0)', 2 * 5 + 1],
    ['[i]', 11],
    ['has(map.a)', 1],
    ['s == s', 3],
    ["s in ['a', 'b']", 1],
  ])('%s costs %d', (source, cost) => {
    expect(run(source, { s: 'abc', i: 1, map: null }).cost).toBe(cost);
  });

  test('a slice that fails costs as little as one item', () => {
    expect(evaluate('[1].slice(0, 9223372036854775807)')).toBe(
      'error: cannot slice(0, 9223372036854775807), list is length 1',
    );
  });

  test('an evaluation stops at its limit', () => {
    expect(run('lists.range(1000).all(x, lists.range(1000).all(y, x + y >= 0))')).toMatchObject({ isExceeded: true });
  });
});
