import { conditions, defineResource } from '@pintle/operator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { apiReference } from './reference.ts';

const Fruit = defineResource({
  group: 'food.test',
  version: 'v1',
  kind: 'Fruit',
  shortNames: ['fr'],
  description: 'Something to eat.',
  spec: z.object({
    weight: z.int().min(1).describe('In grams.'),
    color: z.enum(['red', 'green']).default('red'),
    seeds: z.array(z.object({ name: z.string().max(9) })).optional(),
    tags: z.record(z.string(), z.string()).optional(),
  }),
  status: z.object({ conditions: conditions() }),
  columns: [{ name: 'Weight', type: 'integer', jsonPath: '.spec.weight' }],
});

test('a reference has a section for each version and a row for each field', () => {
  const text = apiReference([Fruit.definition]);
  expect(text.slice(0, text.indexOf('| `status`'))).toBe(`# API reference

- [Fruit food.test/v1](#fruit-foodtestv1)

## Fruit food.test/v1

Something to eat.

- apiVersion: \`food.test/v1\`
- kind: \`Fruit\`
- resource: \`fruits\`, \`fr\`
- scope: Namespaced
- stored in this version
- subresources: status

| field | type | |
|---|---|---|
| \`spec\` | object, required |  |
| \`spec.weight\` | integer, required | In grams. Checked: at least \`1\`. |
| \`spec.color\` | string | One of \`"red"\`, \`"green"\`. Default: \`"red"\`. |
| \`spec.seeds\` | list of object |  |
| \`spec.seeds[].name\` | string, required | Checked: length at most \`9\`. |
| \`spec.tags\` | map of string |  |
`);
  expect(text).toContain('| Weight | integer | `.spec.weight` |');
});

test('nothing in a definition is HTML of the page, or another line of it', () => {
  const html = '<script>alert(1)</script>\n\n# Title';
  const [version] = Fruit.definition.spec.versions;
  const hostile = {
    ...version!,
    deprecated: true,
    deprecationWarning: html,
    additionalPrinterColumns: [{ name: html, type: html, jsonPath: html }],
    schema: { openAPIV3Schema: { ...version!.schema!.openAPIV3Schema, description: html } },
  };
  const rules = [
    { rule: 'self.a < 1', message: html },
    { rule: '`<b>`', message: 'x' },
  ];
  hostile.schema.openAPIV3Schema['x-kubernetes-validations'] = rules;
  const { definition } = Fruit;
  const text = apiReference([{ ...definition, spec: { ...definition.spec, versions: [hostile] } }]);
  expect(text).not.toContain('<script>');
  for (const code of ['`self.a < 1`', '`` `<b>` ``']) expect(text).toContain(code);
  // The description is Markdown of its author.
  expect(text.match(/^# Title$/gm)).toHaveLength(1);
});
