import type { NamedImport } from '../edit-module.ts';
import { camel, kebab } from '../names.ts';
import type { ProjectResource, WebhookKind } from '../project.ts';

/** Webhooks that have a say when objects are written. Conversion belongs to the resource. */
export type AdmissionKind = Exclude<WebhookKind, 'conversion'>;

export interface WebhookCall {
  readonly method: string;
  readonly call: string;
  readonly imports?: NamedImport;
}

/** What a chain that begins with `manager.webhooks.for(…)` goes on with. */
export function webhookCall({ kind }: ProjectResource, webhook: AdmissionKind): WebhookCall {
  if (webhook === 'defaulting') return { method: 'default', call: defaulting(camel(kind)) };
  return { method: 'validate', call: VALIDATION, imports: { name: 'invalid', from: '@pintle/machinery/errors' } };
}

export function webhookModule(resource: ProjectResource, webhooks: readonly AdmissionKind[]): string {
  const { kind } = resource;
  const calls = webhooks.map((each) => webhookCall(resource, each));
  const imports = calls.flatMap((each) => (each.imports ? [each.imports] : []));
  return `${imports.map(({ name, from }) => `import { ${name} } from '${from}';\n`).join('')}import type { Manager } from '@pintle/operator';
import { ${kind} } from './${kebab(kind)}.ts';

/** What is said about a ${kind} before it is stored. */
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

const VALIDATION = `    .validate({
      create: ({ spec }) => (spec.message === 'bad' ? [invalid('spec.message', spec.message, 'must be nice')] : []),
      update: ({ spec }) => (spec.message === 'bad' ? [invalid('spec.message', spec.message, 'must be nice')] : []),
    })`;

export function webhookTest({ kind, scope }: ProjectResource, webhooks: readonly AdmissionKind[]): string {
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

${webhooks.map((each) => webhookTestOf(kind, each)).join('\n')}`;
}

export function webhookTestOf(kind: string, webhook: AdmissionKind): string {
  return webhook === 'defaulting' ? defaultingTest(kind) : validationTest(kind);
}

function defaultingTest(kind: string): string {
  return `test('a label is filled in', async () => {
  await using plane = await start();
  const { metadata } = await plane.client.create(${kind}, { metadata: first, spec: {} });
  expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'pintle' });
});
`;
}

function validationTest(kind: string): string {
  return `test('a bad message is refused', async () => {
  await using plane = await start();
  const refused = plane.client.create(${kind}, { metadata: first, spec: { message: 'bad' } });
  await expect(refused).rejects.toThrow('must be nice');
});
`;
}
