// Writes a data directory of this version to `tests/fixtures/data-format-N`, for later versions to open: run it once, before the
// release that raises the format (`packages/store/src/format.ts`).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { connect, loadConfig } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { ConfigMap, Secret } from '@pintle/kinds/core/v1';
import { resourceType } from '@pintle/machinery';
import { FORMAT } from '../packages/store/dist/format.js';

const root = join(import.meta.dirname, '..');
const target = join(root, 'tests', 'fixtures', `data-format-${FORMAT}`);
if (existsSync(target)) {
  console.error(`Cannot write ${target}: it exists, and what a version wrote stays as it is`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'pintle-format-'));
const data = join(folder, 'data');
const main = join(root, 'packages', 'cli', 'dist', 'main.js');
const flags = ['--data', data, '--port', '0', '--no-console', '--controllers', 'ttl-controller'];
const server = spawn(process.execPath, [main, 'up', ...flags], { stdio: 'ignore' });
try {
  const ended = once(server, 'exit');
  await write();
  await ended;
  for (const file of [join('store', 'data.mdb'), join('store', 'created'), ...journals(), 'secrets.key']) keep(file);
} finally {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function write() {
  const kubeconfig = join(data, 'kubeconfig');
  for (let attempt = 0; attempt < 100 && !existsSync(kubeconfig); attempt++) await sleep(100);
  const client = await connect(await loadConfig({ kubeconfig }));
  const metadata = { namespace: 'default', name: 'kept' };
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    },
  };
  await client.create(CustomResourceDefinition, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  const Widget = resourceType({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    scope: 'Namespaced',
  });
  for (let attempt = 0; ; attempt++) {
    try {
      await client.create(Widget, { metadata, spec: { size: 7 } });
      break;
    } catch (error) {
      if (attempt === 50) throw error;
      await sleep(100);
    }
  }
  await client.create(Secret, { metadata, stringData: { password: 'opens' } });
  await client.create(ConfigMap, { metadata, data: { colour: 'green' } });
  await client.patch(ConfigMap, metadata, { type: 'merge', body: { data: { colour: 'blue' } } });
  // As after a crash: the last records are in the journal only.
  server.kill('SIGKILL');
  await client.close();
}

function journals() {
  return readdirSync(join(data, 'store'))
    .filter((name) => !['data.mdb', 'lock.mdb', 'created', 'holder', 'reserve'].includes(name))
    .map((name) => join('store', name))
    .filter((name) => statSync(join(data, name)).isFile());
}

function keep(file) {
  const to = join(target, `${file.replaceAll(/[\\/]/g, '+')}.gz`);
  mkdirSync(target, { recursive: true });
  writeFileSync(to, gzipSync(readFileSync(join(data, file)), { level: 9 }));
  console.log(`${file}: ${statSync(join(data, file)).size} bytes, ${statSync(to).size} compressed`);
}
