import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { FieldError } from '@pintle/machinery/errors';
import { FieldPath } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { deepEqual } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import { unrecognizedFormats, validateStructural } from '@pintle/machinery/schema';

type Rules = ResourceRules<CustomResourceDefinition>;

/** The rules of definitions, with what whoever serves them asks of their schemas. */
export function definitionRules(rules: Rules): Rules {
  return {
    ...rules,
    validate: (definition) => [...(rules.validate?.(definition) ?? []), ...schemaErrors(definition)],
    validateUpdate: (next, previous) => [
      ...(rules.validateUpdate?.(next, previous) ?? []),
      ...(deepEqual(next.spec, previous.spec) ? [] : schemaErrors(next)),
    ],
    warnings: (next, previous) => [...(rules.warnings?.(next, previous) ?? []), ...formatWarnings(next)],
  };
}

/** Where Kubernetes says a schema stands: one that all versions share counts as the definition's own. */
function* placedSchemas({ spec }: CustomResourceDefinition): Generator<{ schema: JsonObject; path: FieldPath }> {
  const versions = spec?.versions ?? [];
  const schemas = versions.map((version) => version.schema?.openAPIV3Schema as unknown as JsonObject | undefined);
  const [first] = schemas;
  if (first !== undefined && schemas.every((schema) => deepEqual(schema, first))) {
    yield { schema: first, path: FieldPath.of('spec', 'validation', 'openAPIV3Schema') };
    return;
  }
  for (const [i, schema] of schemas.entries()) {
    const path = FieldPath.of('spec', 'versions').index(i).child('schema', 'openAPIV3Schema');
    if (schema !== undefined) yield { schema, path };
  }
}

function schemaErrors(definition: CustomResourceDefinition): FieldError[] {
  return [...placedSchemas(definition)].flatMap(({ schema, path }) => validateStructural(schema, path));
}

function formatWarnings(definition: CustomResourceDefinition): string[] {
  const formats = [...placedSchemas(definition)].flatMap(({ schema }) => unrecognizedFormats(schema));
  return formats.map((format) => `unrecognized format ${JSON.stringify(format)}`);
}
