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
    /** What it says. Replace it by what your resource is about. */
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

/** Looks after every ${kind}: makes what is there into what it says should be. */
export function add${kind}Controller(manager: Manager): void {
  manager.controller(${kind}).reconcile(async (${object}, ctx) => {
    if (${object}.metadata.deletionTimestamp) return;
    ctx.status({ seen: ${object}.spec.message });
    ctx.condition({ type: 'Ready', status: 'True', reason: 'Seen', message: 'its message was read' });
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

test('says that it has read the message, and then rests', async () => {
  await using plane = await startControlPlane({ crds: [${kind}], clock: stepped() });
  const operator = plane.operator(add${kind}Controller);
  await plane.client.create(${kind}, { metadata: first, spec: { message: 'good morning' } });
  const ${object} = await plane.untilMatches(${kind}, first, { status: { seen: 'good morning' } });
  expect(${object}.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  const writes = operator.writes;
  await plane.untilIdle();
  expect(operator.writes).toBe(writes);
});

test('follows a change', async () => {
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

/** A controller of a kind that is defined elsewhere. */
export function foreignControllerModule(resource: ProjectResource, from: string): string {
  const { kind } = resource;
  const object = camel(kind);
  const imports = [`import { ${kind} } from '${from}';`, "import type { Manager } from '@pintle/operator';"];
  if (from.startsWith('.')) imports.reverse();
  return `${imports.join('\n')}

/** Looks after every ${kind}. */
export function add${kind}Controller(manager: Manager): void {
  manager.controller(${kind}).reconcile(async (${object}, ctx) => {
    if (${object}.metadata.deletionTimestamp) return;
    ctx.log.info('Seen', { name: ${object}.metadata.name });
  });
}
`;
}

/** `from`: the project's own module of the kind; servers do not know it by themselves. */
export function foreignControllerTest(resource: ProjectResource, from?: string): string {
  const { kind } = resource;
  const imported = from === undefined ? '' : `import { ${kind} } from '${from}';\n`;
  return `import { startControlPlane, stepped } from '@pintle/testing';
import { expect, test } from 'vitest';
${imported}import { add${kind}Controller } from './${kebab(kind)}-controller.ts';

test('writes nothing where there is nothing to do', async () => {
  await using plane = await startControlPlane({ ${from === undefined ? '' : `crds: [${kind}], `}clock: stepped() });
  const operator = plane.operator(add${kind}Controller);
  await plane.untilIdle();
  expect(operator.writes).toBe(0);
});
`;
}
