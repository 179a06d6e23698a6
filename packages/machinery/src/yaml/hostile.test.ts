import { threadTimer } from '@pintle/async/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryJson } from '../json/testing/arbitrary-json.ts';
import { yamlRequestLimits } from './limits.ts';
import { parseYamlStrict } from './parse.ts';
import { stringifyYaml } from './stringify.ts';
import { YamlError } from './yaml-error.ts';

/**
 * A request takes a quarter of a second at most on an idle machine. A document that is parsed in quadratic time takes many
 * seconds, so the limit leaves room for a machine that others use too.
 */
const STALL_MS = 1_000;

/** A slow run may be the machine's fault, so it is repeated; the document's fault it is when all are slow. */
const RUNS = 5;

describe('A body within the size limit does not stall the process', () => {
  const bytes = yamlRequestLimits.maxBytes;
  const full = (unit: string) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)) - 8);

  const check = (name: string, document: string, expected: string) => {
    test(name, () => {
      let fastest = Infinity;
      for (let run = 0; run < RUNS && fastest >= STALL_MS; run++) {
        const computedMs = threadTimer();
        expect(outcome(document)).toBe(expected);
        fastest = Math.min(fastest, computedMs());
      }
      expect(fastest).toBeLessThan(STALL_MS);
    });
  };

  const bomb = (levels: number, width: number) => {
    const level = (index: number) =>
      `a${index}: &a${index} [${Array(width)
        .fill(`*a${index - 1}`)
        .join()}]\n`;
    return `a0: &a0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: levels }, (_, index) => level(index + 1)).join('')}`;
  };

  check('a bomb of aliases', bomb(20, 9), 'TooManyAliases');
  check('a bomb of few aliases', bomb(30, 3), 'TooManyAliases');
  check('a tower of aliases', tower(), 'TooDeep');
  check('many aliases', `- &a x\n${'- *a\n'.repeat(500)}`, 'TooManyAliases');
  check('keys', full('a: b\n'), 'TooManyLines');
  check('as many keys as allowed', 'a: b\n'.repeat(3_300), 'value');
  check('many flow maps', `- [${full('{a},')}]`, 'TooManyTokens');
  check('nested flow lists', full('['), 'TooDeep');
  check('nested flow maps', `- ${full('{a: ')}`, 'TooDeep');
  check('nested lists', full('- '), 'TooDeep');
  check('nested keys', full('? '), 'TooDeep');
  check('nested maps', Array.from({ length: 2_000 }, (_, index) => `${' '.repeat(index)}a:\n`).join(''), 'TooDeep');
  check('commas', `- [${','.repeat(11_000)}]`, 'Syntax');
  check('brackets', `- ${']'.repeat(23_000)}`, 'Syntax');
  check('flow maps in a row', `- x\n${'{a: b}\n'.repeat(4_000)}`, 'Syntax');
  check('directives', '%a\n'.repeat(11_000), 'Syntax');
  check('anchors', Array.from({ length: 3_300 }, (_, index) => `- &a${index} x\n`).join(''), 'value');
  check('tags', '- !a x\n'.repeat(3_300), 'value');
  check('deep flow lists', `- ${'['.repeat(200)}${']'.repeat(200)}\n`.repeat(36), 'value');
  check('deep explicit keys', `${'? '.repeat(200)}a\n`.repeat(36), 'InvalidKey');
  check('documents', '---\na: b\n'.repeat(5_000), 'value');
  check('wrong escapes', `"${full('\\q')}"`, 'TooManyTokens');
  check('as many wrong escapes as allowed', `"${'\\q'.repeat(22_000)}"`, 'Syntax');
  check(
    'long quoted values',
    Array.from({ length: 2_000 }, (_, i) => `k${i}: "${'x'.repeat(1_000)}"\n`).join(''),
    'TooManyTokens',
  );
  check('doubled quotes', `'${full("''")}'`, 'TooManyTokens');
  check('a number with an underscore after each digit', `a: ${full('1_')}`, 'value');
  check('a number of underscores', `a: 1${full('_')}`, 'value');
  check('blank lines', full('\n'), 'TooManyLines');
  check('as many lines of a literal block as allowed', `a: |\n${' b\n'.repeat(199_000)}`, 'value');
  check('as many folded lines as allowed', `"${'a\n'.repeat(199_000)}"`, 'value');
  check('as many plain lines as allowed', `a:\n${' b\n'.repeat(199_000)}`, 'value');
  check('spaces', full(' '), 'value');
  check('tabs', full('\t'), 'value');
  check('one long key', `${full('k')}: v`, 'Syntax');
  check('one long number', full('1'), 'value');
  check('one long hexadecimal number', `0x${full('1')}`, 'value');
  check('one long comment', full('#'), 'value');
  check('duplicate keys in JSON', `{${'"a":0,'.repeat(80_000)}"a":0}`, 'value');

  function tower(): string {
    const level = (index: number) => `- &a${index} ${'['.repeat(200)}*a${index - 1}${']'.repeat(200)}\n`;
    return `- &a0 x\n${Array.from({ length: 10 }, (_, index) => level(index + 1)).join('')}`;
  }
});

describe('Whatever comes in, a value or a YamlError comes out', () => {
  const check = (document: Uint8Array | string) => {
    expect(outcome(document)).toMatch(/^\w+$/);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  };

  test('random bytes', () => {
    fc.assert(fc.property(fc.uint8Array(), check), { numRuns: 300 });
  });

  test('random indicators', () => {
    const word = fc.constantFrom(
      ...['a', ' ', '\n', '- ', ': ', '? ', '[', ']', '{', '}', ',', '&a ', '*a ', '!', '!!int '],
    );
    const more = fc.constantFrom(
      ...['|', '>', '"', "'", '#', '%', '@', '---\n', '...\n', '<<: ', '__proto__: ', '\t', '1'],
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, more)), (words) => check(words.join(''))),
      { numRuns: 1_000 },
    );
  });

  test('documents with some characters changed', () => {
    const edit = fc.record({ at: fc.nat(), text: fc.string({ maxLength: 2 }), drop: fc.nat({ max: 3 }) });
    fc.assert(
      fc.property(arbitraryJson, fc.array(edit, { minLength: 1, maxLength: 4 }), (value, edits) => {
        let text = stringifyYaml({ polluted: value });
        for (const { at, text: inserted, drop } of edits) {
          const start = at % text.length;
          text = text.slice(0, start) + inserted + text.slice(start + drop);
        }
        check(text);
      }),
      { numRuns: 300 },
    );
  });
});

function outcome(document: Uint8Array | string): string {
  try {
    parseYamlStrict(document);
    return 'value';
  } catch (error) {
    if (error instanceof YamlError) return error.failure.code;
    throw error;
  }
}
