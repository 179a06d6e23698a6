// Writes a file to `.changeset` that describes a change: `npm run changeset`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureTools, TOOLS } from './ensure-tools.mjs';

ensureTools();
const cli = join(TOOLS, 'node_modules', '@changesets', 'cli', 'bin.js');
const { status } = spawnSync(process.execPath, [cli, ...process.argv.slice(2)], {
  cwd: join(import.meta.dirname, '..'),
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
