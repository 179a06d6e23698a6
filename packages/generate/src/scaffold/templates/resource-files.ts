import { camel, kebab } from '../../project/names.ts';
import type { ProjectResource } from '../../project/project.ts';

export function resourceModule({ group, version, kind, scope }: ProjectResource): string {
  const clusterScope = scope === 'Cluster' ? "\n  scope: 'Cluster'," : '';
  return `import { conditions, defineResource } from '@pintle/operator';
import { z } from 'zod';

export const ${kind} = defineResource({
  group: '${group}',
  version: '${version}',
  kind: '${kind}',${clusterScope}
  spec: z.object({
    /** Message that the controller copies to the status. Replace it with fields of your own. */
    message: z.string().min(1).default('hello'),
  }),
  status: z.object({
    seen: z.string().optional(),
    conditions: conditions(),
  }),
  columns: [{ name: 'Message', type: 'string', jsonPath: '.spec.message' }],
});
export type ${kind} = typeof ${kind}.Type;
`;
}

export function controllerModule({ kind }: ProjectResource): string {
  const object = camel(kind);
  return `import type { Manager } from '@pintle/operator';
import { ${kind} } from './${kebab(kind)}.ts';

/** Reconciles every ${kind}: makes the cluster match its spec. */
export function add${kind}Controller(manager: Manager): void {
  manager.controller(${kind}).reconcile(async (${object}, ctx) => {
    if (${object}.metadata.deletionTimestamp) return;
    ctx.status({ seen: ${object}.spec.message });
    ctx.condition({ type: 'Ready', status: 'True', reason: 'Seen', message: 'The message is in the status' });
  });
}
`;
}

export function controllerTest(resource: ProjectResource): string {
  const { kind } = resource;
  const object = camel(kind);
  return `import { startControlPlane, stepped } from '@pintle/testing';
import { explore, fromSchema } from '@pintle/testing/explore';
import { expect, test } from 'vitest';
import { ${kind} } from './${kebab(kind)}.ts';
import { add${kind}Controller } from './${kebab(kind)}-controller.ts';

const first = { ${resource.scope === 'Namespaced' ? "namespace: 'default', " : ''}name: 'first' };

test('copies the message to the status, and then writes nothing', async () => {
  await using plane = await startControlPlane({ crds: [${kind}], clock: stepped() });
  const operator = plane.operator(add${kind}Controller);
  await plane.client.create(${kind}, { metadata: first, spec: { message: 'good morning' } });
  const ${object} = await plane.untilMatches(${kind}, first, { status: { seen: 'good morning' } });
  expect(${object}.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  const writes = operator.writes;
  await plane.untilIdle();
  expect(operator.writes).toBe(writes);
});

test('updates the status when the message changes', async () => {
  await using plane = await startControlPlane({ crds: [${kind}], clock: stepped() });
  plane.operator(add${kind}Controller);
  await plane.client.create(${kind}, { metadata: first, spec: {} });
  await plane.untilMatches(${kind}, first, { status: { seen: 'hello' } });
  await plane.client.patch(${kind}, first, { type: 'merge', body: { spec: { message: 'good night' } } });
  await plane.untilMatches(${kind}, first, { status: { seen: 'good night' } });
});

test('survives crashes, lost answers and old views', async () => {
  const report = await explore({
    crds: [${kind}],
    operator: add${kind}Controller,
    inputs: fromSchema(${kind}),
    budget: { seconds: 2 },
  });
  expect(report).toHaveNoFindings();
}, 60_000);
`;
}

/** Returns a controller for a kind that is defined elsewhere. */
export function foreignControllerModule(resource: ProjectResource, from: string): string {
  const { kind } = resource;
  const object = camel(kind);
  const imports = [`import { ${kind} } from '${from}';`, "import type { Manager } from '@pintle/operator';"];
  if (from.startsWith('.')) imports.reverse();
  return `${imports.join('\n')}

/** Reconciles every ${kind}. */
export function add${kind}Controller(manager: Manager): void {
  manager.controller(${kind}).reconcile(async (${object}, ctx) => {
    if (${object}.metadata.deletionTimestamp) return;
    ctx.log.info('Seen', { name: ${object}.metadata.name });
  });
}
`;
}

/** `from`: module of the project that defines the kind; absent for built-in kinds. */
export function foreignControllerTest(resource: ProjectResource, from?: string): string {
  const { kind } = resource;
  const imported = from === undefined ? '' : `import { ${kind} } from '${from}';\n`;
  return `import { startControlPlane, stepped } from '@pintle/testing';
import { expect, test } from 'vitest';
${imported}import { add${kind}Controller } from './${kebab(kind)}-controller.ts';

test('writes nothing when there is nothing to do', async () => {
  await using plane = await startControlPlane({ ${from === undefined ? '' : `crds: [${kind}], `}clock: stepped() });
  const operator = plane.operator(add${kind}Controller);
  await plane.untilIdle();
  expect(operator.writes).toBe(0);
});
`;
}
