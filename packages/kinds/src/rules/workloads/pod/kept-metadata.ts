import type { Pod } from '../../../generated/core/v1.ts';
import { keep } from '../../common/keep-status.ts';

/** Of the metadata only what the system itself writes may come along with a change of some part. */
export function keepMetadata({ metadata }: Pod, previous: Pod): void {
  for (const field of ['deletionTimestamp', 'labels', 'annotations', 'ownerReferences', 'finalizers'] as const)
    keep(metadata, previous.metadata, field);
}
