import { readFileSync } from 'node:fs';
import { Deployment } from '@pintle/kinds/apps/v1';
import { schemaOf } from '@pintle/kinds/schemas';
import { expect, test } from 'vitest';

test('The example in the README says what it prints', () => {
  const web: Deployment = {
    apiVersion: Deployment.apiVersion,
    kind: Deployment.kind,
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } } } },
  };
  const printed = [
    `${Deployment.plural}.${Deployment.group} ${web.metadata.name}`,
    schemaOf(Deployment)?.properties?.spec?.goType,
  ];
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(printed).toEqual([...readme.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((match) => match[1]));
});
