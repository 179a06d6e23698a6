import { StoreError } from '@pintle/store';
import { denialError } from '../../auth/authorizer.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { findRecord, toObjects } from '../../storage/object-store.ts';
import { refuseUnsafe } from './delete-options.ts';

const ANNOTATION = 'apiserver.k8s.io/unsafe-delete-ignore-read-error';
const READABLE = 'is exclusively used to delete corrupt object(s), try again by removing this option';

/**
 * Deletes an object that cannot be read, as `ignoreStoreReadErrorWithClusterBreakingPotential` asks. Nothing is known of
 * it: finalizers, preconditions, grace and admission are left out. Throws 403 unless the user may do that besides deleting,
 * and 422 for an object that can be read or is not there, as Kubernetes does.
 */
export async function deleteUnread(call: EndpointCall): Promise<void> {
  call.audit?.annotate(ANNOTATION, '');
  await authorizeUnread(call);
  const damage = await damageOf(call);
  if (damage === undefined) {
    const { group, plural } = call.resource.type;
    return refuseUnsafe({ group, kind: plural }, call.info.name, READABLE);
  }
  await call.store.commit([{ type: 'delete', ...damage }]);
}

async function authorizeUnread({ authorizer, user, info }: EndpointCall): Promise<void> {
  const wanted = { ...info, verb: 'unsafe-delete-ignore-read-errors' as const };
  const decision = await authorizer.authorize(user, wanted);
  if (!decision.allowed) throw denialError(user, wanted, decision.reason);
}

/** Which version of which key is damaged, so that nothing that replaced it meanwhile is deleted. */
async function damageOf({ store, resource, info }: EndpointCall) {
  try {
    const record = await findRecord(store, resource, info.namespace, info.name);
    if (record !== undefined) await toObjects(resource, [record]);
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure.code !== 'Corrupt') throw error;
    const { key, revision } = error.failure;
    if (key === undefined || revision === undefined) throw error;
    return { key, expected: revision };
  }
}
