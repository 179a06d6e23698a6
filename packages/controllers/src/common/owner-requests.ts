import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { LabelSelector } from '@pintle/machinery/selectors';
import type { Manager } from '@pintle/operator';
import { controllerOf } from './controller-ref.ts';
import { EVERYTHING, selectorOf } from './selectors.ts';

export interface Selecting extends KubernetesObject {
  spec?: { selector?: LabelSelector };
}

/** Whom a child concerns: the owner that controls it, or all that would adopt it. */
export function* ownerRequests<O extends Selecting>(
  { informers }: Pick<Manager, 'informers'>,
  type: ResourceType<O>,
  child: KubernetesObject,
): Iterable<{ namespace: string; name: string }> {
  const { namespace = '', labels = {} } = child.metadata;
  const controller = controllerOf(child);
  if (controller !== undefined) {
    if (controller.kind === type.kind && controller.apiVersion === type.apiVersion)
      yield { namespace, name: controller.name };
    return;
  }
  for (const { metadata, spec } of informers.find(type)?.cache.list({ namespace }) ?? [])
    if (selectorOf(spec?.selector ?? EVERYTHING).matches(labels)) yield { namespace, name: metadata.name ?? '' };
}
