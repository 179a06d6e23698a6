import type { Deployment, ReplicaSet } from '@pintle/kinds/apps/v1';
import type { PodTemplateSpec } from '@pintle/kinds/core/v1';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import type { DeploymentSync } from './deployment-sync.ts';
import { byRevision, ownAnnotations, ROLLBACK, readRevision, revisionOf, sharedAnnotations } from './revisions.ts';

/** The revision somebody wants back, 0 for the one before; `undefined` when nobody asked. */
export function wantedRevision({ metadata }: Deployment): bigint | undefined {
  const text = metadata.annotations?.[ROLLBACK] ?? '';
  return /^[+-]?\d{1,19}$/.test(text) ? readRevision(text) : undefined;
}

/** Takes the template of an earlier revision back, if there is one. The wish is gone in any case. */
export async function rollBack(sync: DeploymentSync, wanted: bigint): Promise<void> {
  await sync.settleNewest({ isMade: true });
  const revision = wanted === 0n ? lastRevision(sync.all) : wanted;
  const set = revision === 0n ? undefined : sync.all.find((candidate) => revisionOf(candidate) === revision);
  if (set === undefined) {
    const what = revision === 0n ? 'last revision' : 'the revision to rollback to';
    sync.report('Warning', 'DeploymentRollbackRevisionNotFound', `Unable to find ${what}.`);
    return await sync.writeDeployment(withoutWish(sync.deployment));
  }
  await takeBack(sync, set, revision);
}

async function takeBack(sync: DeploymentSync, set: ReplicaSet, revision: bigint): Promise<void> {
  const { deployment } = sync;
  const name = `"${deployment.metadata.name}"`;
  if (isSameTemplate(deployment.spec!.template!, set.spec!.template!)) {
    const message = `The rollback revision contains the same template as current deployment ${name}`;
    sync.report('Warning', 'DeploymentRollbackTemplateUnchanged', message);
    return await sync.writeDeployment(withoutWish(deployment));
  }
  await sync.writeDeployment(withoutWish(withTemplateOf(deployment, set)));
  sync.report('Normal', 'DeploymentRollback', `Rolled back deployment ${name} to revision ${revision}`);
}

/** The newest but one. */
function lastRevision(sets: readonly ReplicaSet[]): bigint {
  const last = [...sets].sort(byRevision).at(-2);
  return last ? revisionOf(last) : 0n;
}

/** Annotations go back along with the template: they say what the revision was about. */
function withTemplateOf(deployment: Deployment, { metadata, spec }: ReplicaSet): Deployment {
  const template = deepCopy(spec!.template!);
  const { [TEMPLATE_HASH]: _hash, ...labels } = template.metadata?.labels ?? {};
  return {
    ...deployment,
    metadata: {
      ...deployment.metadata,
      annotations: { ...ownAnnotations(deployment.metadata.annotations), ...sharedAnnotations(metadata.annotations) },
    },
    spec: { ...deployment.spec!, template: { ...template, metadata: { ...template.metadata, labels } } },
  };
}

function withoutWish(deployment: Deployment): Deployment {
  const { [ROLLBACK]: _wish, ...annotations } = deployment.metadata.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}

export const TEMPLATE_HASH = 'pod-template-hash';

export function isSameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return deepEqual(withoutHash(a), withoutHash(b));
}

function withoutHash({ metadata, ...rest }: PodTemplateSpec): object {
  const { [TEMPLATE_HASH]: _, ...labels } = metadata?.labels ?? {};
  return { ...rest, metadata: { ...metadata, labels } };
}
