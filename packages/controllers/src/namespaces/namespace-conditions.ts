import type { Namespace } from '@pintle/kinds/core/v1';
import { formatTime } from '@pintle/machinery/time';
import type { Remains } from './namespace-content.ts';

type Status = NonNullable<Namespace['status']>;
type Condition = NonNullable<Status['conditions']>[number];

/** Returns the status with conditions about the remaining content; `undefined` when they are unchanged. */
export function describeDeletion(
  { status = {} }: Namespace,
  remains: Remains,
  stale: readonly string[],
  nowMs: number,
): Status | undefined {
  const told = [
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
      remains.failures.length > 0 && failure('ContentDeletionFailed', remains.failures),
      ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ),
    condition(
      'NamespaceContentRemaining',
      remains.byResource.size > 0 && [
        'SomeResourcesRemain',
        `Some resources are remaining: ${counted(remains.byResource, (name, count) => `${name} has ${count} resource instances`)}`,
      ],
      ['ContentRemoved', 'All content successfully removed'],
    ),
    condition(
      'NamespaceFinalizersRemaining',
      remains.byFinalizer.size > 0 && [
        'SomeFinalizersRemain',
        `Some content in the namespace has finalizers remaining: ${counted(remains.byFinalizer, (name, count) => `${name} in ${count} resource instances`)}`,
      ],
      ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    ),
  ];
  const before = status.conditions ?? [];
  let isChanged = false;
  const conditions = [...before];
  for (const next of told) {
    const index = conditions.findIndex(({ type }) => type === next.type);
    const previous = conditions[index];
    if (previous?.status === next.status && previous.reason === next.reason && previous.message === next.message)
      continue;
    isChanged = true;
    const isTurned = previous?.status !== next.status;
    const dated = { ...next, lastTransitionTime: isTurned ? formatTime(nowMs) : previous.lastTransitionTime! };
    if (index < 0) conditions.push(dated);
    else conditions[index] = dated;
  }
  return isChanged ? { ...status, conditions } : undefined;
}

type Told = readonly [reason: string, message: string];

function condition(type: string, problem: Told | false, fine: Told): Condition {
  const [reason, message] = problem || fine;
  return { type, status: problem ? 'True' : 'False', reason, message };
}

function failure(reason: string, problems: readonly string[]): Told {
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
