import type { Client } from '@pintle/client';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { conditions } from './conditions.ts';
import { defineResource } from './define-resource.ts';

// Mistakes that the compiler refuses stand after @ts-expect-error, in functions that nobody calls: the build checks them.

const names = { group: 'g.test', kind: 'Fruit' } as const;
const v1 = { spec: z.object({ weight: z.int() }) };
const v2 = { spec: z.object({ grams: z.int(), parts: z.array(z.object({ name: z.string() })).optional() }) };

test('versions that look different need somebody who converts them', () => {
  void (() => {
    const Fruit = defineResource({
      ...names,
      storage: 'v2',
      versions: { v1, v2 },
      conversions: {
        v1: {
          toHub: ({ spec }) => ({ spec: { grams: spec.weight } }),
          fromHub: ({ spec }) => ({ spec: { weight: spec.grams } }),
        },
      },
    });
    expectTypeOf(Fruit.Type.spec.grams).toEqualTypeOf<number>();
    expectTypeOf(Fruit.versions.v1.Type.spec.weight).toEqualTypeOf<number>();
    defineResource({ ...names, storage: 'v2', versions: { v1, v2 }, conversion: { strategy: 'None' } });
    defineResource({ ...names, storage: 'v2', versions: { v1: { ...v2, served: false }, v2 } });
    // @ts-expect-error nobody says how
    defineResource({ ...names, storage: 'v2', versions: { v1, v2 } });
    // @ts-expect-error v1 is not converted
    defineResource({ ...names, storage: 'v2', versions: { v1, v2, v3: v2 }, conversions: {} });
  });
});

test('only versions that there are can be converted', () => {
  const spoke = {
    toHub: () => ({ spec: { grams: 1 } }),
    fromHub: () => ({ spec: { weight: 1 } }),
  };
  void (() => {
    defineResource({ ...names, storage: 'v2', versions: { v1, v2 }, conversions: { v1: spoke } });
    defineResource({
      ...names,
      storage: 'v2',
      versions: { v1, v2 },
      // @ts-expect-error there is no v3
      conversions: { v1: spoke, v3: spoke },
    });
    defineResource({
      ...names,
      storage: 'v2',
      versions: { v1, v2 },
      // @ts-expect-error the hub is converted to by the others
      conversions: { v1: spoke, v2: spoke },
    });
  });
});

test('a conversion makes the fields of the version it makes', () => {
  const fromHub = () => ({ spec: { weight: 1 } });
  void (() => {
    defineResource({
      ...names,
      storage: 'v2',
      versions: { v1, v2 },
      conversions: { v1: { toHub: () => ({ metadata: { labels: {} }, spec: { grams: 1, parts: [] } }), fromHub } },
    });
    defineResource({
      ...names,
      storage: 'v2',
      versions: { v1, v2 },
      // @ts-expect-error v2 has no such field
      conversions: { v1: { toHub: ({ spec }) => ({ spec: { grams: spec.weight, weight: 1 } }), fromHub } },
    });
    defineResource({
      ...names,
      storage: 'v2',
      versions: { v1, v2 },
      // @ts-expect-error the items of v2's list have no such field
      conversions: { v1: { toHub: () => ({ spec: { grams: 1, parts: [{ name: '', colour: '' }] } }), fromHub } },
    });
    defineResource({
      ...names,
      storage: 'v2',
      versions: { v1, v2 },
      conversions: {
        v1: {
          toHub: () => ({ spec: { grams: 1 } }),
          // @ts-expect-error v1 has no status
          fromHub: () => ({ spec: { weight: 1 }, status: {} }),
        },
      },
    });
    defineResource({
      ...names,
      storage: 'v2',
      versions: { v1, v2 },
      // @ts-expect-error v2 wants grams
      conversions: { v1: { toHub: () => ({ spec: {} }), fromHub } },
    });
  });
});

test('a column shows a field that there is', () => {
  const status = z.object({ conditions: conditions(), tags: z.record(z.string(), z.string()).optional() });
  void ((unusual: string) => {
    defineResource({
      ...names,
      version: 'v1',
      spec: v2.spec,
      status,
      columns: [
        { name: 'A', type: 'string', jsonPath: '.spec.grams' },
        { name: 'A', type: 'string', jsonPath: '.spec.parts[0].name' },
        { name: 'A', type: 'string', jsonPath: '.spec.parts[*].name' },
        { name: 'A', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        { name: 'A', type: 'string', jsonPath: '.status.conditions[?(@.type == "Ready")].lastTransitionTime' },
        { name: 'A', type: 'string', jsonPath: '.status.tags.anything' },
        { name: 'A', type: 'string', jsonPath: '.status.tags' },
        { name: 'A', type: 'string', jsonPath: '.metadata.creationTimestamp' },
        { name: 'A', type: 'string', jsonPath: '.metadata.labels.app\\.kubernetes\\.io/name' },
        { name: 'A', type: 'string', jsonPath: '.spec..name' },
        { name: 'A', type: 'string', jsonPath: unusual },
        { name: 'A', type: 'string', jsonPath: '.data.anything' as string },
      ],
    });
    defineResource({
      ...names,
      version: 'v1',
      spec: v2.spec,
      status,
      columns: [
        { name: 'A', type: 'string', jsonPath: '.spec.grams' },
        // @ts-expect-error misspelt; the message names those there are
        { name: 'A', type: 'string', jsonPath: '.spec.garms' },
        // @ts-expect-error there is nothing in a number
        { name: 'A', type: 'string', jsonPath: '.spec.grams.x' },
        // @ts-expect-error items have no such field
        { name: 'A', type: 'string', jsonPath: '.spec.parts[0].colour' },
        // @ts-expect-error conditions have no such field
        { name: 'A', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].state' },
        // @ts-expect-error there is no such part
        { name: 'A', type: 'string', jsonPath: '.data.ready' },
        // @ts-expect-error a path begins with a dot
        { name: 'A', type: 'string', jsonPath: 'spec.grams' },
      ],
    });
    // @ts-expect-error there is no status
    defineResource({ ...names, version: 'v1', columns: [{ name: 'A', type: 'string', jsonPath: '.status.ready' }] });
    // @ts-expect-error there is no such type of columns
    defineResource({ ...names, version: 'v1', columns: [{ name: 'A', type: 'int', jsonPath: '.metadata.name' }] });
    defineResource({
      ...names,
      storage: 'v1',
      versions: {
        // @ts-expect-error v1 has no grams
        v1: { ...v1, columns: [{ name: 'A', type: 'string', jsonPath: '.spec.grams' }] },
      },
    });
  });
});

test('the scope is known to the compiler', () => {
  void (async (client: Client) => {
    const Fruit = defineResource({ ...names, version: 'v1', ...v1 });
    const Garden = defineResource({ ...names, version: 'v1', scope: 'Cluster', ...v1 });
    const Many = defineResource({ ...names, storage: 'v1', scope: 'Cluster', versions: { v1 } });
    expectTypeOf(Fruit.scope).toEqualTypeOf<'Namespaced'>();
    expectTypeOf(Garden.scope).toEqualTypeOf<'Cluster'>();
    expectTypeOf(Many.versions.v1.scope).toEqualTypeOf<'Cluster'>();
    await client.get(Garden, { name: 'eden' });
    await client.get(Many, { name: 'eden' });
    // @ts-expect-error fruits are in namespaces
    await client.get(Fruit, { name: 'apple' });
  });
});
