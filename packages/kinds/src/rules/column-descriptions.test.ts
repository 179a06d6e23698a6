import { statSync } from 'node:fs';
import { join } from 'node:path';
import { builtinGroups, responseKindOf } from '@pintle/kinds/discovery';
import { expect, test } from 'vitest';
import { columnDescriptions } from './column-descriptions.ts';
import { columnTexts } from './generated/column-texts.ts';
import { loadRules } from './index.ts';

/** Columns of all kinds, by group, kind and name. */
const columns = await allColumns();

async function allColumns(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { group, versions } of builtinGroups)
    for (const { version, resources } of versions)
      for (const resource of resources) {
        const { kind } = responseKindOf({ group, version }, resource);
        const { printer } = await loadRules({ group, kind }, { hasStatus: false });
        const describe = columnDescriptions({ group, kind });
        for (const { name } of printer?.columns ?? []) found.set(`${group}/${kind} ${name}`, describe(name));
      }
  return found;
}

/** Columns that are computed from several fields. */
const WITHOUT = [
  '/Node Roles',
  '/Node Status',
  '/Pod Ready',
  '/Pod Restarts',
  '/Pod Status',
  '/ResourceQuota Limit',
  '/ResourceQuota Request',
  '/Service External-IP',
  'apiregistration.k8s.io/APIService Available',
  'batch/Job Completions',
  'batch/Job Duration',
  'batch/Job Status',
  'events.k8s.io/Event Count',
  'events.k8s.io/Event First Seen',
  'events.k8s.io/Event Last Seen',
  'events.k8s.io/Event Source',
  'flowcontrol.apiserver.k8s.io/FlowSchema MissingPL',
  'networking.k8s.io/Ingress Ports',
  'resource.k8s.io/ResourceClaim State',
];

test('Columns that show a field say what it is', () => {
  const without = [...columns].filter(([, description]) => description === '').map(([key]) => key);
  expect(without.sort()).toEqual(WITHOUT);
  for (const description of columns.values()) expect(description).toMatch(/^$|^["`A-Z].*\.$/);
});

test('Descriptions are of columns that there are', () => {
  const described = Object.entries(columnTexts).flatMap(([kind, text]) =>
    kind === '*' ? [] : Object.keys(JSON.parse(text)).map((name) => `${kind} ${name}`),
  );
  expect(described.filter((key) => !columns.has(key))).toEqual([]);
});

test('A kind that is not built in has the columns of all kinds alone', () => {
  const describe = columnDescriptions({ group: 'example.com', kind: 'Pod' });
  expect(['Name', 'IP', 'constructor', '__proto__'].map((name) => describe(name) === '')).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

test('The texts are few: every server that answers with a table holds them', () => {
  expect(statSync(join(import.meta.dirname, 'generated', 'column-texts.ts')).size).toBeLessThan(16_000);
});
