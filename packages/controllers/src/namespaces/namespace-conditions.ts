import type { Namespace } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';
import type { RemainingContent } from './namespace-content.ts';

type Status = NonNullable<Namespace['status']>;
type Condition = NonNullable<Status['conditions']>[number];

/** Returns the status with conditions about the remaining content; `undefined` when they are unchanged. */
export function deletionStatus(
  { status = {} }: Namespace,
  remaining: RemainingContent,
  stale: readonly string[],
  nowMs: number,
): Status | undefined {
  const wanted = [
    condition('NamespaceDeletionDiscoveryFailure', stale.length > 0 && failure('DiscoveryFailed', stale), [
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ]),
    condition('NamespaceDeletionGroupVersionParsingFailure', false, [
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ]),
    condition(
      'NamespaceDeletionContentFailure',
      remaining.failures.length > 0 && failure('ContentDeletionFailed', remaining.failures),
      ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ),
    condition(
      'NamespaceContentRemaining',
      remaining.byResource.size > 0 && [
        'SomeResourcesRemain',
        `Some resources are remaining: ${counted(remaining.byResource, (name, count) => `${name} has ${count} resource instances`)}`,
      ],
      ['ContentRemoved', 'All content successfully removed'],
    ),
    condition(
      'NamespaceFinalizersRemaining',
      remaining.byFinalizer.size > 0 && [
        'SomeFinalizersRemain',
        `Some content in the namespace has finalizers remaining: ${counted(remaining.byFinalizer, (name, count) => `${name} in ${count} resource instances`)}`,
      ],
      ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    ),
  ];
  const before = status.conditions ?? [];
  let isChanged = false;
  const conditions = [...before];
  for (const next of wanted) {
    const index = conditions.findIndex(({ type }) => type === next.type);
    const previous = conditions[index];
    if (previous?.status === next.status && previous.reason === next.reason && previous.message === next.message)
      continue;
    isChanged = true;
    const isTransition = previous?.status !== next.status;
    const dated = { ...next, lastTransitionTime: isTransition ? formatTime(nowMs) : previous.lastTransitionTime! };
    if (index < 0) conditions.push(dated);
    else conditions[index] = dated;
  }
  return isChanged ? { ...status, conditions } : undefined;
}

type ReasonAndMessage = readonly [reason: string, message: string];

function condition(type: string, problem: ReasonAndMessage | false, fine: ReasonAndMessage): Condition {
  const [reason, message] = problem || fine;
  return { type, status: problem ? 'True' : 'False', reason, message };
}

function failure(reason: string, problems: readonly string[]): ReasonAndMessage {
  return [
    reason,
    `${reason === 'DiscoveryFailed' ? 'Discovery failed for some groups' : 'Failed to delete all resource types'}, ${problems.length} failing: ${problems.join(', ')}`,
  ];
}

function counted(counts: ReadonlyMap<string, number>, format: (name: string, count: number) => string): string {
  return [...counts]
    .map(([name, count]) => format(name, count))
    .sort()
    .join(', ');
}
