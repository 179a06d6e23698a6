// Publishes all packages with provenance: `npm run release -- --tag v0.1.0`. Writes the packages, the executable, an SBOM and the
// notes of the release to `release/`. With --dry-run nothing is published.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from './ensure-tools.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'release');
const { values } = parseArgs({ options: { tag: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } } });
const { version } = JSON.parse(readFileSync(join(root, 'packages', 'cli', 'package.json'), 'utf8'));
if (values.tag !== `v${version}`) {
  console.error(
    `release: Cannot publish: the tag is ${values.tag ?? 'missing'}, and the packages have version ${version}`,
  );
  process.exit(1);
}
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
writeFileSync(join(folder, 'notes.md'), notes());
writeFileSync(join(folder, 'sbom.cdx.json'), sbom());
run(process.execPath, [join(root, 'scripts', 'pack.mjs'), folder, '--release'], root);
run(process.execPath, [join(root, 'scripts', 'executable.mjs'), join(folder, 'pintle-linux-x64')], root);
for (const file of inOrder(readdirSync(folder).filter((name) => name.endsWith('.tgz')))) publish(file);

/** Puts the command last: when it is there, so is all that it depends on. */
function inOrder(files) {
  const rank = (file) => (file.startsWith('create-pintle') ? 2 : file.startsWith('pintle-cli') ? 1 : 0);
  return files.sort((a, b) => rank(a) - rank(b));
}

function publish(file) {
  const isFromWorkflow = process.env.GITHUB_ACTIONS === 'true';
  const flags = [...(isFromWorkflow ? ['--provenance'] : []), ...(values['dry-run'] ? ['--dry-run'] : [])];
  run('npm', ['publish', join(folder, file), '--access', 'public', '--ignore-scripts', ...flags], root);
}

/**
 * Returns the bill of materials of what users install: the packages, and what they depend on. (`npm sbom --omit dev` leaves out
 * all that a dev dependency of the repository needs too.)
 */
function sbom() {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { stdout, stderr, status } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`Cannot write the SBOM: ${stderr}`);
  const whole = JSON.parse(stdout);
  const dependsOn = new Map(whole.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const nameOf = (ref) => ref.slice(0, ref.lastIndexOf('@'));
  const published = new Map(
    packageManifests().map((manifest) => [manifest.name, Object.keys(manifest.dependencies ?? {})]),
  );
  const found = new Set([...dependsOn.keys()].filter((ref) => published.has(nameOf(ref))));
  for (const ref of found) {
    const direct = published.get(nameOf(ref));
    for (const next of dependsOn.get(ref) ?? [])
      if (direct === undefined || direct.includes(nameOf(next))) found.add(next);
  }
  const components = whole.components.filter((component) => found.has(component['bom-ref']));
  const dependencies = whole.dependencies
    .filter(({ ref }) => found.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => found.has(each)) }));
  return JSON.stringify({ ...whole, components, dependencies }, null, 2);
}

function packageManifests() {
  return readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name, 'package.json'))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')));
}

/** Returns the section of this version in CHANGELOG.md. Before `npm run release:version`, a dry run takes what is not released. */
function notes() {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const sections = changelog.split(/^(?=## )/m);
  const ofNext = values['dry-run'] ? sections.find((section) => section.startsWith('## Unreleased\n')) : undefined;
  const found = sections.find((section) => section.startsWith(`## ${version} `)) ?? ofNext;
  if (found === undefined)
    throw new Error(`Cannot write the notes: CHANGELOG.md has no section of ${version}; run npm run release:version`);
  return found;
}
