// Copies recordings from ../shared/conformance, beside the repository, to conformance/ and prints the changed files. Keeps
// the README, and areas that conformance/ repeats and adds to.
// Usage: node scripts/take-recordings.mjs [DIR]
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { repeats } from './recordings.mjs';

const root = join(import.meta.dirname, '..');
const source = resolve(process.argv[2] ?? join(root, '..', 'shared', 'conformance'));
const target = join(root, 'conformance');
const KEPT = new Set(['README.md']);

if (!existsSync(join(source, 'run.mjs'))) {
  console.error(`Cannot take recordings: ${source} has no run.mjs`);
  process.exit(2);
}
const files = filesIn(source);
for (const file of filesIn(target)) if (!files.includes(file) && !isKept(file)) remove(file);
for (const file of files) if (!isKept(file) && !isSame(file)) take(file);

/** An area is the name of its scenarios and of their answers. */
function isKept(file) {
  const isOfArea = ['scenarios', 'expected'].includes(dirname(file));
  return KEPT.has(file) || (isOfArea && repeats(target, source, basename(file, extname(file))));
}

function filesIn(folder) {
  const all = readdirSync(folder, { recursive: true });
  return all.filter((file) => statSync(join(folder, file)).isFile()).sort();
}

function isSame(file) {
  const to = join(target, file);
  return existsSync(to) && readFileSync(to).equals(readFileSync(join(source, file)));
}

function take(file) {
  console.log(`${existsSync(join(target, file)) ? 'changed' : 'added  '}  ${file}`);
  mkdirSync(dirname(join(target, file)), { recursive: true });
  cpSync(join(source, file), join(target, file), { mode: 0 });
}

function remove(file) {
  console.log(`removed  ${file}`);
  rmSync(join(target, file));
}
