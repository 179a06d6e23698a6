#!/usr/bin/env node
import { basename } from 'node:path';
import { freshBundle } from './fresh-bundle.ts';
import { answerAtOnce } from './help/answer-at-once.ts';

const args = process.argv.slice(2);
const bundle = freshBundle(import.meta.dirname);
const isDropIn = basename(process.argv[1] ?? '') === 'kube-apiserver';
if (isDropIn || bundle === undefined || !answerAtOnce(args, bundle)) await start();

async function start(): Promise<void> {
  // A reader that has had enough, as in `pintle up | head`, is no reason to stop.
  process.stdout.on('error', () => {});
  // Node 22 and newer keep compiled code from one start to the next.
  const { enableCompileCache } = (await import('node:module')) as { enableCompileCache?: () => void };
  enableCompileCache?.();
  const { run } =
    bundle === undefined ? await import('./run.ts') : ((await import(bundle)) as typeof import('./run.ts'));
  await run(args);
}
