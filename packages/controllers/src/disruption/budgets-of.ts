import { PodDisruptionBudget } from '@pintle/kinds/policy/v1';
import type { KubernetesObject } from '@pintle/machinery';
import type { Manager } from '@pintle/operator';
import { selectorOf } from '../common/selectors.ts';

/** The budgets in a pod's namespace whose selector matches its labels. */
export function* budgetsOf(
  { informers }: Pick<Manager, 'informers'>,
  { metadata: { namespace = '', labels = {} } }: KubernetesObject,
): Iterable<{ namespace: string; name: string }> {
  for (const { metadata, spec } of informers.find(PodDisruptionBudget)?.cache.list({ namespace }) ?? [])
    if (spec?.selector && selectorOf(spec.selector).matches(labels)) yield { namespace, name: metadata.name ?? '' };
}
