import { expect, test } from 'vitest';
import { readable } from './show-line.ts';

const entry = (fields: object): string =>
  JSON.stringify({ level: 'warn', time: '2026-01-01T10:20:30.000Z', ...fields });

test.each([
  ['words', 'Listening on port 3', 'Listening on port 3'],
  [
    'an entry',
    entry({ message: 'Failed', error: 'it is gone', many: 3 }),
    '10:20:30 WARN  Failed error="it is gone" many=3',
  ],
  [
    'places of a mistake, each on a line',
    entry({
      message: 'Failed',
      error: 'no',
      stack: 'TypeError: no\n    at one (src/a.ts:1:2)\n    at two (src/b.ts:3:4)',
    }),
    '10:20:30 WARN  Failed error=no\n    at one (src/a.ts:1:2)\n    at two (src/b.ts:3:4)',
  ],
  [
    'how many places are not in the project, where those would be',
    entry({
      message: 'Failed',
      stack: [
        'TypeError: no',
        '    at node:internal/deps/undici/undici:1:2',
        '    at process.processTicksAndRejections (node:internal/process/task_queues:103:5)',
        '    at async reconcile (file:///home/me/fruits/src/fruit-controller.ts:3:4)',
        '    at async Controller.#handle (/home/me/fruits/node_modules/@pintle/operator/dist/controller.js:5:6)',
      ].join('\n'),
    }),
    [
      '10:20:30 WARN  Failed',
      '    … 2 in Pintle or Node',
      '    at async reconcile (file:///home/me/fruits/src/fruit-controller.ts:3:4)',
      '    … 1 in Pintle or Node',
    ].join('\n'),
  ],
  [
    'all places where none is in the project',
    entry({ message: 'Failed', stack: 'Error: no\n    at node:internal/deps/undici/undici:1:2' }),
    '10:20:30 WARN  Failed\n    at node:internal/deps/undici/undici:1:2',
  ],
  [
    'characters that steer a terminal, which are escaped',
    entry({ message: 'Failed', stack: 'Error\n    at \u001b[2J (src/a.ts:1:2)' }),
    '10:20:30 WARN  Failed\n    at \\u001b[2J (src/a.ts:1:2)',
  ],
])('shows %s', (_what, line, shown) => expect(readable(line, false)).toBe(shown));
