import type { KubernetesObject } from '@pintle/machinery';
import { forbiddenError, notFoundError, StatusError } from '@pintle/machinery/errors';
import { objectKey } from '../storage/keys.ts';
import { decodeObject } from '../storage/object-codec.ts';
import type { Guard } from '../storage/object-store.ts';
import type { EndpointCall } from './endpoint.ts';
import { groupResourceOf } from './served-resource.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };

/**
 * A namespace must exist, and not be on its way out, when something is created in it. The guard it gives makes that
 * hold at the moment of the write too: had the namespace changed in between, the write is refused and tried again.
 */
export async function guardNamespace(call: EndpointCall, name: string): Promise<Guard[]> {
  const { namespace } = call.info;
  if (call.resource.type.scope === 'Cluster') return [];
  const key = objectKey(NAMESPACES, '', namespace);
  const record = await call.store.get(key);
  if (record === undefined) throw notFoundError(NAMESPACES, namespace);
  if (isTerminating(decodeObject(record, 'Namespace'))) throw terminating(call, name);
  return [{ type: 'check', key, expected: record.modRevision }];
}

function isTerminating(namespace: KubernetesObject & { status?: { phase?: string } }): boolean {
  return namespace.metadata.deletionTimestamp !== undefined || namespace.status?.phase === 'Terminating';
}

function terminating(call: EndpointCall, name: string): StatusError {
  const { namespace } = call.info;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = forbiddenError(groupResourceOf(call.resource), name, why);
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return new StatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
