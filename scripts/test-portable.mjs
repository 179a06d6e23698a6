// Runs the tests of the packages that need no kubectl, terminal or signals of Unix: `npm run test:portable`, on every system.
import { join } from 'node:path';
import { run } from './ensure-tools.mjs';

const PACKAGES = [
  'aggregator',
  'apiextensions',
  'async',
  'cel',
  'client',
  'controllers',
  'generate',
  'http2',
  'kinds',
  'machinery',
  'metrics',
  'operator',
  'pki',
  'testing',
];

const root = join(import.meta.dirname, '..');
run('npx', ['--no-install', 'vitest', 'run', ...PACKAGES.map((name) => `packages/${name}/src`)], root);
