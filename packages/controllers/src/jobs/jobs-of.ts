import { Job } from '@pintle/kinds/batch/v1';
import type { Pod } from '@pintle/kinds/core/v1';
import type { Manager } from '@pintle/operator';
import { controllerOf } from '../common/controller-ref.ts';
import { selectorOf } from '../common/selectors.ts';

/** The job that controls a pod; of a pod that nobody controls all jobs that would adopt it. */
export function* jobsOf(
  { informers }: Pick<Manager, 'informers'>,
  pod: Pod,
): Iterable<{ namespace: string; name: string }> {
  const { namespace = '', labels = {} } = pod.metadata;
  const controller = controllerOf(pod);
  if (controller !== undefined) {
    if (controller.kind === Job.kind && controller.apiVersion === Job.apiVersion)
      yield { namespace, name: controller.name };
    return;
  }
  for (const { metadata, spec } of informers.find(Job)?.cache.list({ namespace }) ?? [])
    if (spec?.selector && selectorOf(spec.selector).matches(labels)) yield { namespace, name: metadata.name ?? '' };
}
