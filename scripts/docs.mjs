// Builds the documentation site from `docs/` into `site/`, and fails for links that lead nowhere: `npm run docs`. Pages of the
// reference that follow from the code are written here, and not to the repository.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureTools, run, TOOLS } from './ensure-tools.mjs';
import { writeApi } from './reference/api.mjs';
import { errorsPage } from './reference/errors.mjs';
import { limitsPage } from './reference/limits.mjs';
import { metricsPage } from './reference/metrics.mjs';

ensureTools();
// Beside the packages that pages are compiled with, which are found from where a page lies.
const pages = join(TOOLS, 'site', 'pages');
rmSync(pages, { recursive: true, force: true });
cpSync(join(TOOLS, '..', 'docs'), pages, { recursive: true });
const reference = join(pages, 'reference');
writeFileSync(join(reference, 'limits.md'), limitsPage());
writeFileSync(join(reference, 'errors.md'), await errorsPage());
writeFileSync(join(reference, 'metrics.md'), await metricsPage());
writeApi(join(reference, 'api'));
const cli = join(TOOLS, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
run(process.execPath, [cli, 'build', join(TOOLS, 'site')], TOOLS);
