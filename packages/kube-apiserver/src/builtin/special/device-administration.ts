import type { RequestContext, ServedResource } from '@pintle/apiserver/resource';
import { findObject } from '@pintle/apiserver/storage';
import type { ResourceClaim, ResourceClaimTemplate } from '@pintle/kinds/resource/v1';
import type { FieldError } from '@pintle/machinery/errors';
import { FieldPath, forbidden } from '@pintle/machinery/errors';
import { checkStatusPermissions } from './claim-permissions.ts';

type Check = NonNullable<ServedResource['checkRelatedObjects']>;
type AdminAccess = { readonly adminAccess?: boolean } | undefined;

const LABEL = 'resource.kubernetes.io/admin-access';
const REQUESTS = FieldPath.of('spec', 'devices', 'requests');
const RESULTS = FieldPath.of('status', 'allocation', 'devices', 'results');

/**
 * Allows admin access to devices only in namespaces with the label. Specs never change, so they are checked once; the
 * results of a claim are checked until they were allowed. The status is written by schedulers and drivers.
 */
export const checkAdministeredClaim: Check = async (context, next, previous) => {
  if (previous === undefined)
    return await checkAdminAccess(context, REQUESTS, requestsOf((next as ResourceClaim).spec));
  if (context.info.subresource !== 'status') return [];
  const [claim, former] = [next as ResourceClaim, previous as ResourceClaim];
  const wasAllowed = resultsOf(former).some((result) => result?.adminAccess);
  const asked = wasAllowed ? [] : await checkAdminAccess(context, RESULTS, resultsOf(claim));
  return [...asked, ...(await checkStatusPermissions(context, claim, former))];
};

export const checkAdministeredTemplate: Check = async (context, next, previous) =>
  previous === undefined
    ? await checkAdminAccess(context, REQUESTS, requestsOf((next as ResourceClaimTemplate).spec.spec))
    : [];

function requestsOf({ devices }: ResourceClaim['spec']): readonly AdminAccess[] {
  return (devices?.requests ?? []).map(({ exactly }) => exactly);
}

function resultsOf({ status }: ResourceClaim): readonly AdminAccess[] {
  return status?.allocation?.devices?.results ?? [];
}

async function checkAdminAccess(
  context: RequestContext,
  path: FieldPath,
  list: readonly AdminAccess[],
): Promise<FieldError[]> {
  const index = list.findIndex((entry) => entry?.adminAccess);
  if (index < 0 || (await isAdministered(context))) return [];
  const why = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;
  return [forbidden(path.index(index).child('adminAccess'), why)];
}

async function isAdministered({ resources, store, info }: RequestContext): Promise<boolean> {
  const namespaces = (await resources.find({ group: '', version: 'v1', resource: 'namespaces' }))!;
  const found = await findObject(store, namespaces, '', info.namespace);
  return found?.object.metadata.labels?.[LABEL] === 'true';
}
