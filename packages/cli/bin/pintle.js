#!/usr/bin/env node
// npm links commands only to files that exist when it installs, and a clone is built after that.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write('pintle: Cannot start: the clone is not built. Run `npm run build` in it\n');
  process.exitCode = 1;
}
