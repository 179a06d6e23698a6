/**
 * Turns the API's definitions into TypeScript: npm run generate -w @pintle/kinds -- --api DIR
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readApi } from './api.mjs';
import { generateDiscovery } from './discovery-table.mjs';
import { generateInterfaces } from './interfaces.mjs';
import { generateProtobufTable } from './protobuf-table.mjs';
import { generateSchemaTables } from './schema-tables.mjs';

const packageRoot = fileURLToPath(new URL('..', import.meta.url));
const repositoryRoot = resolve(packageRoot, '../..');
const { values } = parseArgs({ options: { api: { type: 'string', default: '../shared/kubernetes-api' } } });

const api = readApi(resolve(repositoryRoot, values.api));
writeFolder('src/generated', generateInterfaces(api));
writeFolder('src/discovery/generated', generateDiscovery(api));
writeFolder('src/protobuf/generated', generateProtobufTable(api));
writeFolder('src/schemas/generated', generateSchemaTables(api));

/** Replaces a folder: what is no longer generated is no longer there. */
function writeFolder(folder, files) {
  const root = join(packageRoot, folder);
  rmSync(root, { recursive: true, force: true });
  for (const [file, text] of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  console.log(`${folder}: ${files.size} files`);
}
