#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { basename } from 'node:path';
import { UsageError } from './usage-error.ts';

// A reader that has had enough, as in `pintle up | head`, is no reason to stop.
process.stdout.on('error', () => {});

// Node 22 and newer keep compiled code from one start to the next.
(nodeModule as { enableCompileCache?: () => void }).enableCompileCache?.();

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`pintle: ${error.message}\n`);
  process.exitCode = 1;
}

/** Each command loads only what it needs. Called by the name of kube-apiserver, this is one. */
async function main(args: readonly string[]): Promise<void> {
  const isDropIn = basename(process.argv[1] ?? '') === 'kube-apiserver';
  if (isDropIn || args[0] === 'apiserver') {
    const { apiserver } = await import('./apiserver/apiserver.ts');
    await apiserver(isDropIn ? args : args.slice(1));
  } else {
    const { createProgram } = await import('./program.ts');
    await createProgram().parseAsync(args, { from: 'user' });
  }
}
