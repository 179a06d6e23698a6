import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import { isAllowed, isMaster } from '@pintle/apiserver/auth';
import type { DiscoveryCatalog } from '@pintle/apiserver/discovery';
import type { AdmissionRequest } from '@pintle/apiserver/resource';
import { groupResourceOf } from '@pintle/apiserver/resource';
import type { OwnerReference } from '@pintle/machinery';
import { parseGroupVersion } from '@pintle/machinery';
import { forbiddenError } from '@pintle/machinery/errors';
import { asJson, deepEqual, type JsonValue } from '@pintle/machinery/json';

/**
 * Owners decide when an object is deleted: a user who changes them must be allowed to delete it, except on creation. A
 * user who sets blockOwnerDeletion must be allowed to set the owner's finalizers.
 */
export function guardOwners(catalog: DiscoveryCatalog): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    handles: ({ operation, context, object, oldObject }) => {
      if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
      if (isMaster(context.user) || context.info.subresource === 'status') return false;
      return object?.metadata.ownerReferences !== undefined || oldObject?.metadata.ownerReferences !== undefined;
    },
    validate: async (request) => {
      if (!hasNewOwners(request)) return;
      if (request.operation !== 'CREATE') await checkDeletion(request);
      for (const owner of newlyHeld(request)) await checkFinalizers(catalog, request, owner);
    },
  };
}

function hasNewOwners({ object, oldObject }: AdmissionRequest): boolean {
  const owners = (value: AdmissionRequest['object']): JsonValue => asJson(value?.metadata.ownerReferences ?? []);
  return !deepEqual(owners(object), owners(oldObject));
}

async function checkDeletion(request: AdmissionRequest): Promise<void> {
  const { authorizer, user, info } = request.context;
  const { group, version, resource, namespace } = info;
  const permission = { verb: 'delete', group, version, resource, namespace, name: request.name };
  if (await isAllowed(authorizer, user, permission)) return;
  throw refusal(request, "cannot set an ownerRef on a resource you can't delete: , <nil>");
}

/** Returns the owners whose deletion the object blocks from now on. */
function newlyHeld({ object, oldObject }: AdmissionRequest): OwnerReference[] {
  const held = (value: AdmissionRequest['object']): OwnerReference[] =>
    (value?.metadata.ownerReferences ?? []).filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
  const before = new Set(held(oldObject).map(({ uid }) => uid));
  return held(object).filter(({ uid }) => !before.has(uid));
}

async function checkFinalizers(
  catalog: DiscoveryCatalog,
  request: AdmissionRequest,
  { apiVersion, kind, name }: OwnerReference,
): Promise<void> {
  const { authorizer, user, info } = request.context;
  const { group, version } = parseGroupVersion(apiVersion) ?? { group: apiVersion, version: '' };
  const found = catalog.version({ group, version })?.resources.find(({ responseKind }) => responseKind.kind === kind);
  if (found === undefined) {
    const why = `cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
    throw refusal(request, `cannot set blockOwnerDeletion in this case because ${why}`);
  }
  const namespace = found.scope === 'Namespaced' ? info.namespace : '';
  const finalizers = { group, version, resource: found.resource, subresource: 'finalizers', namespace, name };
  if (await isAllowed(authorizer, user, { verb: 'update', ...finalizers })) return;
  const why = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ";
  throw refusal(request, `${why}, <nil>`);
}

function refusal({ context, name }: AdmissionRequest, why: string): Error {
  return forbiddenError(groupResourceOf(context.resource), name, why);
}
