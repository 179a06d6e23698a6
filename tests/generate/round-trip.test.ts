import { resourceModule, writtenDefinition } from '@pintle/generate';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { customResourceDefinitionRules } from '@pintle/kinds/definition-rules';
import { deepCopy } from '@pintle/machinery/json';
import { expect, test } from 'vitest';
import { certificates, issuers } from '../../packages/apiserver/src/testing/real-world/certificates.ts';
import { clusters, machineDeployments } from '../../packages/apiserver/src/testing/real-world/clusters.ts';
import { gateways, routes } from '../../packages/apiserver/src/testing/real-world/routes.ts';
import { loadModule } from './load-module.ts';

const definitions = [certificates, issuers, gateways, routes, clusters, machineDeployments].map((definition) =>
  writtenDefinition(definition as unknown as CustomResourceDefinition),
);

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
