import { camel, kebab } from '../names.ts';
import type { ProjectResource, WebhookKind } from '../project.ts';

export function webhookModule({ kind }: ProjectResource, webhooks: readonly WebhookKind[]): string {
  const object = camel(kind);
  const calls = [
    `  manager.webhooks\n    .for(${kind})`,
    ...(webhooks.includes('defaulting') ? [defaulting(object)] : []),
    ...(webhooks.includes('validation') ? [VALIDATION] : []),
  ];
  const isValidating = webhooks.includes('validation');
  const imports = isValidating ? "import { invalid } from '@pintle/machinery/errors';\n" : '';
  return `${imports}import type { Manager } from '@pintle/operator';
import { ${kind} } from './${kebab(kind)}.ts';

/** What is said about a ${kind} before it is stored${webhooks.includes('conversion') ? '; versions are converted by what the resource says' : ''}. */
export function add${kind}Webhooks(manager: Manager): void {
${calls.join('\n')};
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

export function webhookTest({ kind, scope }: ProjectResource, webhooks: readonly WebhookKind[]): string {
  const tests = [
    ...(webhooks.includes('defaulting') ? [defaultingTest(kind)] : []),
    ...(webhooks.includes('validation') ? [validationTest(kind)] : []),
  ];
  if (tests.length === 0) tests.push(conversionTest(kind));
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

${tests.join('\n')}`;
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

function conversionTest(kind: string): string {
  return `test('objects are served', async () => {
  await using plane = await start();
  const { metadata } = await plane.client.create(${kind}, { metadata: first, spec: {} });
  expect(metadata.name).toBe('first');
});
`;
}
