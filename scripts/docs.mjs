// Builds the documentation site from `docs/` into `site/`, and fails for links that lead nowhere: `npm run docs`. With --serve it is
// served while pages are written.
import { join } from 'node:path';
import { ensureTools, run, TOOLS } from './ensure-tools.mjs';

ensureTools();
const cli = join(TOOLS, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
run(process.execPath, [cli, process.argv.includes('--serve') ? 'dev' : 'build', join(TOOLS, 'site')], TOOLS);
