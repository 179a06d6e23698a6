/**
 * Turns the definitions of the API into TypeScript: npm run generate -w @pintle/kinds [-- --api DIR] [-- --check]
 *
 * With `--check` writes nothing, and fails when a file would change.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { readApi } from './api.mjs';
import { generateColumnTexts } from './column-texts.mjs';
import { describeSource, generateDescriptions, readDescriptions } from './descriptions.mjs';
import { generateDiscovery } from './discovery-table.mjs';
import { generateInterfaces } from './interfaces.mjs';
import { generateProtobufTable } from './protobuf-table.mjs';
import { generateSchemaTables } from './schema-tables.mjs';

const packageRoot = fileURLToPath(new URL('..', import.meta.url));
const repositoryRoot = resolve(packageRoot, '../..');
const { values } = parseArgs({
  options: { api: { type: 'string', default: join(packageRoot, 'api') }, check: { type: 'boolean', default: false } },
});
/** Files that are not what the generator writes. */
const stale = [];

const api = readApi(resolve(repositoryRoot, values.api));
const descriptions = readDescriptions(join(packageRoot, 'descriptions'), api);
writeFolder('src/generated', generateInterfaces(api, descriptions));
writeFolder('src/descriptions/generated', generateDescriptions(api, descriptions));
writeFolder('src/rules/generated', generateColumnTexts(api, descriptions, readColumns()));
writeFolder('src/discovery/generated', generateDiscovery(api));
writeFolder('src/protobuf/generated', generateProtobufTable(api));
writeFolder('src/schemas/generated', generateSchemaTables(api));

describeMetadata();
for (const file of stale) console.error(`Stale: ${file}; run npm run generate -w @pintle/kinds`);
process.exitCode = stale.length === 0 ? 0 : 1;

/** Writes descriptions into the types of metadata, which are written by hand in machinery. */
function describeMetadata() {
  const path = join(repositoryRoot, 'packages/machinery/src/meta/object-meta.ts');
  const meta = (type) => `io.k8s.apimachinery.pkg.apis.meta.v1.${type}`;
  const types = {
    ObjectMeta: meta('ObjectMeta'),
    OwnerReference: meta('OwnerReference'),
    ManagedFieldsEntry: meta('ManagedFieldsEntry'),
    ListMeta: meta('ListMeta'),
    TypeMeta: 'io.k8s.api.core.v1.Pod',
    KubernetesObject: 'io.k8s.api.core.v1.Pod',
    KubernetesList: 'io.k8s.api.core.v1.PodList',
  };
  const source = readFileSync(path, 'utf8');
  const described = describeSource(source, types, descriptions);
  if (values.check && described !== source) stale.push('packages/machinery/src/meta/object-meta.ts');
  if (!values.check) writeFileSync(path, described);
}

function readColumns() {
  return parse(readFileSync(join(packageRoot, 'facts/columns.yaml'), 'utf8'));
}

/** Replaces a folder, so that files which are no longer generated are removed. */
function writeFolder(folder, files) {
  const root = join(packageRoot, folder);
  if (values.check) {
    checkFolder(folder, files);
    return;
  }
  rmSync(root, { recursive: true, force: true });
  for (const [file, text] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  console.log(`${folder}: ${files.size} files`);
}

function checkFolder(folder, files) {
  const root = join(packageRoot, folder);
  for (const [file, text] of files)
    if (!existsSync(join(root, file)) || readFileSync(join(root, file), 'utf8') !== text)
      stale.push(`${folder}/${file}`);
  const expected = new Set([...files.keys()].map((file) => join(root, file)));
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of found) if (!expected.has(join(parentPath, name))) stale.push(`${folder}/${name}`);
}
