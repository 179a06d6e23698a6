import { Node } from '@pintle/kinds/core/v1';
import type { Controller, Manager } from '@pintle/operator';
import type { NodeMonitorOptions } from './node-monitor.ts';
import { NodeMonitor } from './node-monitor.ts';
import { conditionTaints } from './taints.ts';

/** Labels and their deprecated names, which are kept in sync. */
const DEPRECATED_LABELS = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

/** Taints unhealthy nodes so that no pods are scheduled to them, and evicts pods of nodes that stay unhealthy. */
export function addNodeLifecycleController(manager: Manager, options?: NodeMonitorOptions): Controller {
  manager.add(new NodeMonitor(manager, options));
  return manager
    .controller(Node, 'node-lifecycle')
    .options({ concurrency: 8 })
    .reconcile(async (node, { client, clock }) => {
      const { name = '', resourceVersion } = node.metadata;
      const taints = conditionTaints(node, clock.now());
      const labels = deprecatedLabels(node);
      if (taints === undefined && labels === undefined) return;
      const body = {
        metadata: { resourceVersion, ...(labels && { labels }) },
        ...(taints && { spec: { taints: taints.length > 0 ? taints : null } }),
      };
      await client.patch(Node, { name }, { type: 'merge', body });
    });
}

function deprecatedLabels({ metadata: { labels = {} } }: Node): Record<string, string> | undefined {
  const differing = DEPRECATED_LABELS.filter(
    ([name, older]) => labels[name] !== undefined && labels[older] !== labels[name],
  );
  if (differing.length === 0) return undefined;
  return Object.fromEntries(differing.map(([name, older]) => [older, labels[name]!]));
}
