import { Deployment } from '@pintle/kinds/apps/v1';
import { ConfigMap, Service } from '@pintle/kinds/core/v1';
import type { Controller, Manager } from '@pintle/operator';
import { configMapOf, deploymentOf, phaseOf, serviceOf } from './children.ts';
import { MarkdownView } from './markdown-view.ts';

/** Runs a Deployment and a Service for each view, and reports their phase. */
export function addController(manager: Manager): Controller {
  return manager
    .controller(MarkdownView)
    .owns(ConfigMap)
    .owns(Deployment)
    .owns(Service)
    .reconcile(async (view, ctx) => {
      if (view.metadata.deletionTimestamp) return;
      await ctx.apply(ConfigMap, configMapOf(view));
      const deployment = await ctx.apply(Deployment, deploymentOf(view));
      await ctx.apply(Service, serviceOf(view));
      const phase = phaseOf(view, deployment);
      const { availableReplicas = 0 } = deployment.status ?? {};
      if (phase !== view.status?.phase) ctx.event('Normal', 'Updated', `The view is ${phase} now`);
      ctx.status({ phase });
      ctx.condition({
        type: 'Available',
        status: phase === 'NotReady' ? 'False' : 'True',
        reason: phase,
        message: `${availableReplicas} of ${view.spec.replicas} viewers answer`,
      });
    });
}
