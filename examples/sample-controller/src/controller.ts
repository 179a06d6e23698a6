import type { Configuration } from '@pintle/client';
import { controllerOf } from '@pintle/client';
import { Deployment } from '@pintle/kinds/apps/v1';
import type { Controller, Manager, ReconcileContext } from '@pintle/operator';
import { Foo } from './foo.ts';

/** Keeps the Deployment of each Foo up to date, and reports its available replicas. */
export function addFooController(manager: Manager): Controller {
  return manager
    .controller(Foo)
    .owns(Deployment)
    .reconcile(async (foo, ctx) => {
      const found = await ctx.find(Deployment, foo.spec.deploymentName);
      if (found !== undefined && !isOf(foo, found)) return await reportConflict(foo, ctx);
      const deployment = await ctx.apply(Deployment, deploymentOf(foo));
      await ctx.prune();
      updateStatus(foo, deployment, ctx);
    });
}

/** Returns the Deployment of a Foo. */
export function deploymentOf({ metadata, spec }: Foo): Configuration<Deployment> {
  const labels = { app: 'nginx', controller: metadata.name ?? '' };
  return {
    metadata: { name: spec.deploymentName },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] } },
    },
  };
}

/** True when the Deployment belongs to the Foo, or to a deleted one of the same name. */
function isOf({ metadata }: Foo, deployment: Deployment): boolean {
  const controller = controllerOf(deployment);
  return controller?.kind === Foo.kind && controller.name === metadata.name;
}

/** Reports a Deployment of another owner. The Foo is reconciled again when the Deployment changes or is deleted. */
async function reportConflict({ spec }: Foo, ctx: ReconcileContext<Foo>): Promise<void> {
  const message = `Resource "${spec.deploymentName}" already exists and is not managed by Foo`;
  await ctx.follow(Deployment, spec.deploymentName);
  ctx.event('Warning', 'ErrResourceExists', message);
  ctx.status({ availableReplicas: 0 });
  ctx.condition({ type: 'Ready', status: 'False', reason: 'ErrResourceExists', message });
}

function updateStatus(foo: Foo, { status }: Deployment, ctx: ReconcileContext<Foo>): void {
  const availableReplicas = status?.availableReplicas ?? 0;
  const isReady = availableReplicas >= foo.spec.replicas;
  const isNews = isReady && foo.status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True';
  ctx.status({ availableReplicas });
  ctx.condition({
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'AllAvailable' : 'Progressing',
    message: `${availableReplicas} of ${foo.spec.replicas} replicas are available`,
  });
  if (isNews) ctx.event('Normal', 'Synced', 'Foo synced successfully');
}
