import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/*
 * A collection may have any number of large objects. Whoever reads one whole in a single turn blocks all other clients: the server reads
 * through `scanRecords` or in pages of its own, controllers through `eachLive`.
 */

const packages = join(import.meta.dirname, '..', 'packages');

/** Files that read ranges themselves, with what bounds the reads. */
const RANGES: Readonly<Record<string, string>> = {
  'apiserver/src/storage/scan-records.ts': 'pages of 64 KiB',
  'apiserver/src/registry/read/list-records.ts': 'chunks by bytes',
  'apiserver/src/storage/secrets/reseal.ts': 'pages, before the server starts',
  'apiserver/src/cache/store-follower.ts': 'a cache of all objects of a small kind',
  'apiextensions/src/definition-controller.ts': 'a cache of all definitions',
  'apiextensions/src/remove-instances.ts': 'pages',
  'kube-apiserver/src/bootstrap/lease-renewal.ts': 'leases of servers, which only servers write',
  'kube-apiserver/src/bootstrap/server-addresses.ts': 'addresses of servers, which only servers write',
  'kube-apiserver/src/builtin/special/service-ranges.ts': 'ServiceCIDRs, which only admins write',
};

test('the server reads collections in bounded pages', () => {
  const readers = ['apiserver', 'apiextensions', 'aggregator', 'kube-apiserver']
    .flatMap((name) => sourcesOf(join(packages, name, 'src')))
    .filter((path) => /\bstore\.range\(/.test(readFileSync(path, 'utf8')));
  expect(readers.map((path) => path.slice(packages.length + 1)).sort()).toEqual(Object.keys(RANGES).sort());
});

test('controllers list from the server in pages by size', () => {
  const whole = sourcesOf(join(packages, 'controllers', 'src')).filter((path) =>
    /\blive\s*\.list\(/.test(readFileSync(path, 'utf8')),
  );
  expect(whole.map((path) => path.slice(packages.length + 1))).toEqual([]);
});

function sourcesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['testing', 'tests', 'bench'].includes(entry.name) ? [] : sourcesOf(path);
    return /(?<!\.test)\.ts$/.test(path) ? [path] : [];
  });
}
