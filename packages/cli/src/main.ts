#!/usr/bin/env node
import { basename } from 'node:path';
import { freshBundle } from './fresh-bundle.ts';
import { answerAtOnce } from './help/answer-at-once.ts';

const args = process.argv.slice(2);
const bundle = freshBundle(import.meta.dirname);
const isDropIn = basename(process.argv[1] ?? '') === 'kube-apiserver';
if (isDropIn || bundle === undefined || !answerAtOnce(args, bundle)) await start();

async function start(): Promise<void> {
  // Keeps running when the reader closes the pipe, as in `pintle up | head`.
  process.stdout.on('error', () => {});
  // Node.js 22 and newer cache compiled code between starts.
  const { enableCompileCache } = (await import('node:module')) as { enableCompileCache?: () => void };
  enableCompileCache?.();
  const { run } =
    bundle === undefined ? await import('./run.ts') : ((await import(bundle)) as typeof import('./run.ts'));
  await run(args);
}
