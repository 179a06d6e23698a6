import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definitionsFrom, interfaceModule, resourceModule } from '@pintle/generate';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { customResourceDefinitionRules } from '@pintle/kinds/definition-rules';
import { deepCopy } from '@pintle/machinery/json';
import { expect, test } from 'vitest';
import { drawDefinition } from './draw-definition.ts';
import { loadModule } from './load-module.ts';
import { realWorldDefinitions } from './real-world.ts';

const drawn = Array.from({ length: 14 }, (_, seed) => drawDefinition(seed));
const definitions = [...(await realWorldDefinitions()), ...drawn];

/** With the names that a server fills in. */
function complete(definition: CustomResourceDefinition): CustomResourceDefinition {
  const copy = deepCopy(definition);
  customResourceDefinitionRules.default?.(copy);
  return copy;
}

test.each(definitions.map((definition) => [definition.metadata.name, definition]))(
  'the module made of %s defines the same',
  async (_name, definition) => {
    const { kind } = definition.spec.names;
    const resource = await loadModule(resourceModule(definition), kind);
    expect(complete(deepCopy(resource.definition))).toEqual(complete(definition));
  },
);

test('they are large', () => {
  const sizes = definitions.map((definition) => JSON.stringify(definition).length);
  expect(Math.min(...sizes)).toBeGreaterThan(5_000);
});

test.each(definitions.map((definition) => [definition.metadata.name, definition]))(
  'the interfaces made of %s define the same',
  (_name, definition) => {
    const folder = mkdtempSync(join(tmpdir(), 'pintle-interfaces-'));
    writeFileSync(join(folder, 'types.ts'), interfaceModule(definition));
    try {
      expect(definitionsFrom(folder, ['types.ts']).map(complete)).toEqual([complete(definition)]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
