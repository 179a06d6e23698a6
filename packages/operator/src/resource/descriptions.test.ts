import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineResource } from './define-resource.ts';
import { descriptionsOf, withDescriptions, withoutDescriptions } from './descriptions.ts';

const { definition } = defineResource({
  group: 'g.test',
  version: 'v1',
  kind: 'Crate',
  spec: z.object({
    size: z.int().describe('Said by the schema.'),
    description: z.string().optional(),
    parts: z.array(z.object({ name: z.string() })),
    labels: z.record(z.string(), z.object({ text: z.string() })),
    days: z.partialRecord(z.enum(['monday', 'friday']), z.object({ hours: z.int() })),
  }),
});

const CRATE = {
  kind: 'Crate',
  versions: {
    '*': {
      description: 'A crate.',
      properties: {
        spec: {
          properties: {
            size: { description: 'Said outside.' },
            description: { description: 'Words on the crate.' },
            parts: { items: { description: 'A part.', properties: { name: { description: 'Its name.' } } } },
            labels: { additionalProperties: { properties: { text: { description: 'Its text.' } } } },
            days: { additionalProperties: { properties: { hours: { description: 'How long.' } } } },
            absent: { description: 'Of a field that there is not.' },
            constructor: { description: 'Of no field either.' },
          },
        },
      },
    },
  },
};

/** The descriptions in a definition, by path. */
function texts(of: typeof definition): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { description } = value as { description?: unknown };
    if (typeof description === 'string') found[path] = description;
    for (const [key, inner] of Object.entries(value)) visit(inner, `${path}/${key.replace(/^properties$/, '')}`);
  };
  visit(of.spec.versions[0]!.schema!.openAPIV3Schema, '');
  return Object.fromEntries(Object.entries(found).map(([path, text]) => [path.replaceAll('//', '/'), text]));
}

describe('Descriptions', () => {
  test('stand wherever the definition has none, in fields, items and values', () => {
    expect(texts(withDescriptions(definition, [CRATE]))).toEqual({
      '': 'A crate.',
      '/spec/size': 'Said by the schema.',
      '/spec/description': 'Words on the crate.',
      '/spec/parts/items': 'A part.',
      '/spec/parts/items/name': 'Its name.',
      '/spec/labels/additionalProperties/text': 'Its text.',
      '/spec/days/monday/hours': 'How long.',
      '/spec/days/friday/hours': 'How long.',
    });
  });

  test('change nothing else', () => {
    const described = withDescriptions(definition, [CRATE]);
    expect(withoutDescriptions(described)).toEqual(withoutDescriptions(definition));
    const { spec } = withoutDescriptions(described).spec.versions[0]!.schema!.openAPIV3Schema!.properties!;
    expect(spec!.properties!.description).toEqual({ type: 'string' });
    expect(spec!.properties!.size).toEqual({ type: 'integer' });
  });

  test.each([
    ['of the group are preferred', [CRATE, { ...CRATE, group: 'g.test', versions: { v1: { description: 'Mine.' } } }]],
    ['of the version are preferred', [{ ...CRATE, versions: { ...CRATE.versions, v1: { description: 'Mine.' } } }]],
  ])('%s', (_what, given) => {
    expect(texts(withDescriptions(definition, given))).toEqual({ '': 'Mine.', '/spec/size': 'Said by the schema.' });
  });

  test.each([
    ['another kind', { ...CRATE, kind: 'Box' }],
    ['another group', { ...CRATE, group: 'other.test' }],
    ['another version', { ...CRATE, versions: { v2: CRATE.versions['*'] } }],
  ])('of %s are not taken', (_what, given) => {
    expect(withDescriptions(definition, [given])).toEqual(definition);
  });

  test('of a server are those that its definition has', () => {
    const live = withDescriptions(definition, [CRATE]);
    expect(withDescriptions(definition, [descriptionsOf(live)])).toEqual(live);
  });
});
