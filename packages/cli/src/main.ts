#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { freshBundle } from './fresh-bundle.ts';

// A reader that has had enough, as in `pintle up | head`, is no reason to stop.
process.stdout.on('error', () => {});

// Node 22 and newer keep compiled code from one start to the next.
(nodeModule as { enableCompileCache?: () => void }).enableCompileCache?.();

const bundle = freshBundle(import.meta.dirname);
const { run } = bundle === undefined ? await import('./run.ts') : ((await import(bundle)) as typeof import('./run.ts'));
await run(process.argv.slice(2));
