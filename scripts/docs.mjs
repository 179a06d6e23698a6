// Builds the documentation site from `docs/` into `site/`, and fails for links that lead nowhere: `npm run docs`.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureTools, run, TOOLS } from './ensure-tools.mjs';

ensureTools();
// Beside the packages that pages are compiled with, which are found from where a page lies.
const pages = join(TOOLS, 'site', 'pages');
rmSync(pages, { recursive: true, force: true });
cpSync(join(TOOLS, '..', 'docs'), pages, { recursive: true });
const cli = join(TOOLS, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
run(process.execPath, [cli, 'build', join(TOOLS, 'site')], TOOLS);
