import { camel, kebab } from '../../project/names.ts';
import type { ProjectResource, WebhookKind } from '../../project/project.ts';
import type { NamedImport } from '../edit-module.ts';
import type { SampleFields } from '../sample-field.ts';

/** Kinds of admission webhooks. Conversion belongs to the resource. */
export type AdmissionKind = Exclude<WebhookKind, 'conversion'>;

export interface WebhookCall {
  readonly method: string;
  readonly call: string;
  readonly imports?: NamedImport;
}

/** Returns the call for a chain that begins with `manager.webhooks.for(…)`. */
export function webhookCall({ kind }: ProjectResource, webhook: AdmissionKind, { text }: SampleFields): WebhookCall {
  if (webhook === 'defaulting') return { method: 'default', call: defaulting(camel(kind)) };
  if (text === undefined) return { method: 'validate', call: EMPTY_VALIDATION };
  const imports = { name: 'invalid', from: '@pintle/machinery/errors' };
  return { method: 'validate', call: validation(text), imports };
}

export function webhookModule(
  resource: ProjectResource,
  webhooks: readonly AdmissionKind[],
  fields: SampleFields,
): string {
  const { kind } = resource;
  const calls = webhooks.map((each) => webhookCall(resource, each, fields));
  const imports = calls.flatMap((each) => (each.imports ? [each.imports] : []));
  return `${imports.map(({ name, from }) => `import { ${name} } from '${from}';\n`).join('')}import type { Manager } from '@pintle/operator';
import { ${kind} } from './${kebab(kind)}.ts';

/** Adds the admission webhooks of ${kind}. */
export function add${kind}Webhooks(manager: Manager): void {
  manager.webhooks
    .for(${kind})
${calls.map(({ call }) => call).join('\n')};
}
`;
}

function defaulting(object: string): string {
  return `    .default((${object}) => {
      ${object}.metadata.labels = { 'app.kubernetes.io/managed-by': 'pintle', ...${object}.metadata.labels };
    })`;
}

function validation(field: string): string {
  const errors = `(spec.${field} === 'bad' ? [invalid('spec.${field}', spec.${field}, 'must be nice')] : [])`;
  return `    .validate({
      create: ({ spec }) => ${errors},
      update: ({ spec }) => ${errors},
    })`;
}

/** Validation that compiles with any schema. */
const EMPTY_VALIDATION = `    .validate({
      // Return field errors here: [invalid('spec.FIELD', VALUE, 'must be …')], with invalid of @pintle/machinery/errors.
      create: () => [],
      update: () => [],
    })`;

export function webhookTest(
  { kind, scope }: ProjectResource,
  webhooks: readonly AdmissionKind[],
  fields: SampleFields,
): string {
  return `import { startControlPlane, stepped } from '@pintle/testing';
import { expect, test } from 'vitest';
import { ${kind} } from './${kebab(kind)}.ts';
import { add${kind}Webhooks } from './${kebab(kind)}-webhooks.ts';

const first = { ${scope === 'Namespaced' ? "namespace: 'default', " : ''}name: 'first' };

async function start() {
  const plane = await startControlPlane({ crds: [${kind}], clock: stepped() });
  const operator = plane.operator(add${kind}Webhooks);
  await plane.eventually(() => operator.manager.webhooks.isReady);
  return plane;
}

${webhooks.map((each) => webhookTestOf(kind, each, fields)).join('\n')}`;
}

export function webhookTestOf(kind: string, webhook: AdmissionKind, fields: SampleFields): string {
  return webhook === 'defaulting' ? defaultingTest(kind, fields) : validationTest(kind, fields);
}

function defaultingTest(kind: string, { text, isEmptyValid }: SampleFields): string {
  if (text === undefined && !isEmptyValid) return todo('sets the default label', kind, 'a valid spec');
  const spec = isEmptyValid ? '{}' : `{ ${text}: 'good' }`;
  return `test('sets the default label', async () => {
  await using plane = await start();
  const { metadata } = await plane.client.create(${kind}, { metadata: first, spec: ${spec} });
  expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'pintle' });
});
`;
}

function validationTest(kind: string, { text }: SampleFields): string {
  if (text === undefined) return todo(`rejects a bad ${kind}`, kind, 'a spec that is rejected');
  return `test('rejects a bad ${text}', async () => {
  await using plane = await start();
  const refused = plane.client.create(${kind}, { metadata: first, spec: { ${text}: 'bad' } });
  await expect(refused).rejects.toThrow('must be nice');
});
`;
}

/** Returns the test of conversions between a version and the stored one. */
export function conversionTest(
  { kind, scope }: ProjectResource,
  version: string,
  { text, isEmptyValid }: SampleFields,
): string {
  const head = `import { startControlPlane, stepped } from '@pintle/testing';
import { expect, test } from 'vitest';
import { ${kind} } from './${kebab(kind)}.ts';

const first = { ${scope === 'Namespaced' ? "namespace: 'default', " : ''}name: 'first' };
`;
  const spec = text !== undefined ? `{ ${text}: 'good' }` : isEmptyValid ? '{}' : undefined;
  if (spec === undefined)
    return `import { test } from 'vitest';

// Create a ${kind} of version ${version} in a control plane with crds: [${kind}], read it again, and expect what was written.
test.todo('a ${kind} that is written as ${version} is read as it was written');
`;
  const writing = `plane.client.create(${kind}.versions.${version}, { metadata: first, spec })`;
  return `${head}
test('a ${kind} that is written as ${version} is read as it was written', async () => {
  await using plane = await startControlPlane({ crds: [${kind}], clock: stepped() });
  const spec = ${spec};
  await ${writing};
  // The server stores the result of toHub, and converts it back with fromHub.
  expect(await plane.client.get(${kind}.versions.${version}, first)).toMatchObject({ spec });
});

test('a stored ${kind} is read as ${version}', async () => {
  await using plane = await startControlPlane({ crds: [${kind}], clock: stepped() });
  const spec = ${spec};
  await plane.client.create(${kind}, { metadata: first, spec });
  // Expect the converted spec here once the versions differ.
  expect(await plane.client.get(${kind}.versions.${version}, first)).toMatchObject({ spec });
});
`;
}

/** Returns an empty test, for schemas without a known valid object. */
function todo(name: string, kind: string, what: string): string {
  return `// Call start(), create a ${kind} with ${what}, and check the result.
test.todo('${name}');
`;
}
