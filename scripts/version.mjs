// Raises the version of all packages by the files in `.changeset`, and moves their texts to CHANGELOG.md: `npm run release:version`.
// The first release has the version that the packages have.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureTools, run, TOOLS } from './ensure-tools.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, '.changeset');
const HEADING = '## Unreleased\n';

const files = readdirSync(folder)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .sort();
const texts = files.map((name) =>
  readFileSync(join(folder, name), 'utf8')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .trim(),
);
if (texts.length === 0) {
  console.error('version: Cannot raise the version: .changeset has no change; add one with npm run changeset');
  process.exit(1);
}
const isFirst = !/^## \d/m.test(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
if (isFirst) for (const name of files) rmSync(join(folder, name));
else raiseVersion();
const { version } = JSON.parse(readFileSync(join(root, 'packages', 'cli', 'package.json'), 'utf8'));
writeChangelog();
console.log(`All packages have version ${version}`);

function raiseVersion() {
  ensureTools();
  run(process.execPath, [join(TOOLS, 'node_modules', '@changesets', 'cli', 'bin.js'), 'version'], root);
  run('npm', ['install', '--package-lock-only', '--ignore-scripts'], root);
}

function writeChangelog() {
  const path = join(root, 'CHANGELOG.md');
  const changelog = readFileSync(path, 'utf8');
  const at = changelog.indexOf(HEADING);
  if (at === -1) throw new Error('Cannot write CHANGELOG.md: it has no heading "## Unreleased"');
  const date = new Date().toISOString().slice(0, 10);
  const entries = texts.map((text) => `- ${text.replaceAll('\n', '\n  ')}\n`).join('');
  const rest = changelog.slice(at + HEADING.length).trimStart();
  const written = `${changelog.slice(0, at)}${HEADING}\n## ${version} (${date})\n\n${entries}\n${rest}`;
  writeFileSync(path, written);
}
