import { threadTimer } from '@pintle/async/testing';
import { describe, expect, test } from 'vitest';
import { JsonError } from './json-error.ts';
import { requestLimits } from './limits.ts';
import { parseJsonStrict } from './parse.ts';

/**
 * A request takes a quarter of a second at most on an idle machine. A document that is parsed in quadratic time takes many
 * seconds, so the limit leaves room for a machine that others use too.
 */
const STALL_MS = 1_000;

/** A slow run may be the machine's fault, so it is repeated; the document's fault it is when all are slow. */
const RUNS = 5;

describe('A body within the size limit does not stall the process', () => {
  const bytes = requestLimits.maxBytes;
  const full = (unit: string) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)) - 2);
  const list = (count: number, item: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => item(index)).join();

  const check = (name: string, document: string, expected: string) => {
    test(name, () => {
      const body = Buffer.from(document);
      let fastest = Infinity;
      for (let run = 0; run < RUNS && fastest >= STALL_MS; run++) {
        const computedMs = threadTimer();
        expect(outcome(body)).toBe(expected);
        fastest = Math.min(fastest, computedMs());
      }
      expect(fastest).toBeLessThan(STALL_MS);
    });
  };

  check('empty objects', `[${full('{},')}{}]`, 'TooManyTokens');
  check('as many empty objects as allowed', `[${list(83_000, () => '{}')}]`, 'value');
  check('nesting', full('['), 'TooDeep');
  check('nesting in objects', full('{"a":'), 'TooDeep');
  check('as many different keys as allowed', `{${list(83_000, (index) => `"k${index}":0`)}}`, 'value');
  check('many keys, one of them twice', `{${list(82_000, (index) => `"k${index}":0`)},"k1":0}`, 'value');
  check('many keys beside a long integer', `{"x":9007199254740993,${list(82_000, (i) => `"k${i}":0`)}}`, 'value');
  check('keys that look like indices', `{${list(83_000, (index) => `"${index * 7919}":0`)}}`, 'value');
  check('objects of many shapes', `[${list(15_000, (i) => `{"a${i}":0,"b${i}":0,"c${i}":0,"d${i}":0}`)}]`, 'value');
  check('the same key', `{${list(83_000, () => '"a":0')}}`, 'value');
  check('deep paths of the same keys', deepDuplicates(), 'value');
  check('long integers', `[${list(160_000, (index) => `900719925474099${index % 10}3`)}]`, 'value');
  check('one long number', full('1'), 'NumberOutOfRange');
  check('one long fraction', `0.${full('1').slice(2)}`, 'value');
  check('numbers out of range', `[${list(240_000, () => '1e400')}]`, 'NumberOutOfRange');
  check('lone surrogates', `"${full('\\ud800')}"`, 'value');
  check('escapes', `"${full('\\u0000')}"`, 'value');
  check('spaces', full(' '), 'UnexpectedEnd');
  check('an open string', `"${full('é')}`, 'UnexpectedEnd');
  check('an error at the end', `[${list(240_000, () => '1')}x`, 'Syntax');

  function deepDuplicates(): string {
    return `${'{"a":'.repeat(900)}{${list(80_000, (index) => `"k${index % 5000}":0`)}}${'}'.repeat(900)}`;
  }
});

function outcome(document: Uint8Array): string {
  try {
    parseJsonStrict(document);
    return 'value';
  } catch (error) {
    if (error instanceof JsonError) return error.failure.code;
    throw error;
  }
}
