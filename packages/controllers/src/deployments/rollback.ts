import type { Deployment, ReplicaSet } from '@pintle/kinds/apps/v1';
import type { PodTemplateSpec } from '@pintle/kinds/core/v1';
import { deepCopy, deepEqual } from '@pintle/machinery/json';
import type { DeploymentSync } from './deployment-sync.ts';
import { byRevision, ownAnnotations, ROLLBACK, readRevision, revisionOf, sharedAnnotations } from './revisions.ts';

/** Returns the revision to roll back to, 0 for the previous one; `undefined` without the annotation. */
export function rollbackRevision({ metadata }: Deployment): bigint | undefined {
  const text = metadata.annotations?.[ROLLBACK] ?? '';
  return /^[+-]?\d{1,19}$/.test(text) ? readRevision(text) : undefined;
}

/** Rolls back to the template of an earlier revision, if it exists. Removes the annotation in either case. */
export async function rollBack(sync: DeploymentSync, wanted: bigint): Promise<void> {
  await sync.syncNewReplicaSet({ createIfNotExisted: true });
  const revision = wanted === 0n ? lastRevision(sync.all) : wanted;
  const set = revision === 0n ? undefined : sync.all.find((candidate) => revisionOf(candidate) === revision);
  if (set === undefined) {
    const what = revision === 0n ? 'last revision' : 'the revision to rollback to';
    sync.recordEvent('Warning', 'DeploymentRollbackRevisionNotFound', `Unable to find ${what}.`);
    return await sync.writeDeployment(withoutRollbackAnnotation(sync.deployment));
  }
  await rollbackToTemplate(sync, set, revision);
}

async function rollbackToTemplate(sync: DeploymentSync, set: ReplicaSet, revision: bigint): Promise<void> {
  const { deployment } = sync;
  const name = `"${deployment.metadata.name}"`;
  if (isSameTemplate(deployment.spec!.template!, set.spec!.template!)) {
    const message = `The rollback revision contains the same template as current deployment ${name}`;
    sync.recordEvent('Warning', 'DeploymentRollbackTemplateUnchanged', message);
    return await sync.writeDeployment(withoutRollbackAnnotation(deployment));
  }
  await sync.writeDeployment(withoutRollbackAnnotation(withTemplateOf(deployment, set)));
  sync.recordEvent('Normal', 'DeploymentRollback', `Rolled back deployment ${name} to revision ${revision}`);
}

/** Returns the newest revision but one. */
function lastRevision(sets: readonly ReplicaSet[]): bigint {
  const last = [...sets].sort(byRevision).at(-2);
  return last ? revisionOf(last) : 0n;
}

/** Restores the annotations along with the template, because they describe the revision. */
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

function withoutRollbackAnnotation(deployment: Deployment): Deployment {
  const { [ROLLBACK]: _rollback, ...annotations } = deployment.metadata.annotations ?? {};
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
