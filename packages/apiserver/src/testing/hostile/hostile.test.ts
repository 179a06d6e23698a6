import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHostile } from './run-hostile.ts';
import { summarize } from './summarize.ts';

const SERVER_PROCESS = join(import.meta.dirname, '../../../dist/testing/hostile/server-process.js');

test('no request stops the server, stalls it or gets something stored that should not be', async () => {
  if (!existsSync(SERVER_PROCESS)) throw new Error(`Cannot start the server: ${SERVER_PROCESS} is not built`);
  const result = await runHostile({ seed: 20_260_101, count: 3_000, serverProcess: SERVER_PROCESS });
  const { lines, complaints } = summarize(result);
  expect(complaints, lines.join('\n')).toEqual([]);
  expect(result.statuses[201]).toBeGreaterThan(10);
}, 60_000);
