#!/usr/bin/env node
// npm links a command only to a file that is there when it installs, and a clone is built after that.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write('pintle: It is not built yet: run `npm run build` in the clone\n');
  process.exitCode = 1;
}
