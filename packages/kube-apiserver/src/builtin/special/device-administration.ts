import type { EndpointCall, ServedResource } from '@pintle/apiserver/resource';
import { findObject } from '@pintle/apiserver/storage';
import type { ResourceClaim, ResourceClaimTemplate } from '@pintle/kinds/resource/v1';
import type { FieldError } from '@pintle/machinery/errors';
import { FieldPath, forbidden } from '@pintle/machinery/errors';
import { checkStatusPermissions } from './claim-permissions.ts';

type Check = NonNullable<ServedResource['checkSurroundings']>;
type Asking = { readonly adminAccess?: boolean } | undefined;

const LABEL = 'resource.kubernetes.io/admin-access';
const REQUESTS = FieldPath.of('spec', 'devices', 'requests');
const RESULTS = FieldPath.of('status', 'allocation', 'devices', 'results');

/**
 * Allows admin access to devices only in namespaces with the label. Specs never change, so they are checked once; the
 * results of a claim are checked until they were allowed. The status is written by schedulers and drivers.
 */
export const checkAdministeredClaim: Check = async (call, next, previous) => {
  if (previous === undefined) return await checkAsked(call, REQUESTS, requestsOf((next as ResourceClaim).spec));
  if (call.info.subresource !== 'status') return [];
  const [claim, former] = [next as ResourceClaim, previous as ResourceClaim];
  const wasAllowed = resultsOf(former).some((result) => result?.adminAccess);
  const asked = wasAllowed ? [] : await checkAsked(call, RESULTS, resultsOf(claim));
  return [...asked, ...(await checkStatusPermissions(call, claim, former))];
};

export const checkAdministeredTemplate: Check = async (call, next, previous) =>
  previous === undefined ? await checkAsked(call, REQUESTS, requestsOf((next as ResourceClaimTemplate).spec.spec)) : [];

function requestsOf({ devices }: ResourceClaim['spec']): readonly Asking[] {
  return (devices?.requests ?? []).map(({ exactly }) => exactly);
}

function resultsOf({ status }: ResourceClaim): readonly Asking[] {
  return status?.allocation?.devices?.results ?? [];
}

async function checkAsked(call: EndpointCall, path: FieldPath, list: readonly Asking[]): Promise<FieldError[]> {
  const index = list.findIndex((asking) => asking?.adminAccess);
  if (index < 0 || (await isAdministered(call))) return [];
  const why = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;
  return [forbidden(path.index(index).child('adminAccess'), why)];
}

async function isAdministered({ resources, store, info }: EndpointCall): Promise<boolean> {
  const namespaces = (await resources.find({ group: '', version: 'v1', resource: 'namespaces' }))!;
  const found = await findObject(store, namespaces, '', info.namespace);
  return found?.object.metadata.labels?.[LABEL] === 'true';
}
