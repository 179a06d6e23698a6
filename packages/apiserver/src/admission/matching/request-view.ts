import type { GroupVersionKind, GroupVersionResource, KubernetesObject } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { UserInfo } from '../../request/user-info.ts';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import { nameOf, namespaceOf, resourceOf } from './subject-names.ts';

/** The objects of a request in one version, with the kind and resource they have there. */
export interface RequestView {
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly object: KubernetesObject | undefined;
  readonly oldObject: KubernetesObject | undefined;
}

/** Returns the fields of the API's `AdmissionRequest`, without its uid and the objects. */
export function describeRequest(request: AdmissionRequest, { kind, resource }: RequestView): JsonObject {
  const { subresource } = request.context.info;
  const name = nameOf(request);
  const namespace = namespaceOf(request);
  return {
    kind: plainKind(kind),
    resource: plainResource(resource),
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: plainKind(request.kind),
    requestResource: plainResource(resourceOf(request)),
    ...(subresource !== '' && { requestSubResource: subresource }),
    ...(name !== '' && { name }),
    ...(namespace !== '' && { namespace }),
    operation: request.operation,
    userInfo: plainUser(request.context.user),
    dryRun: request.isDryRun,
    options: request.options ?? null,
  };
}

function plainKind({ group, version, kind }: GroupVersionKind): JsonObject {
  return { group, version, kind };
}

function plainResource({ group, version, resource }: GroupVersionResource): JsonObject {
  return { group, version, resource };
}

function plainUser({ username, uid, groups, extra = {} }: UserInfo): JsonObject {
  return {
    ...(username !== '' && { username }),
    ...(uid && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(Object.keys(extra).length > 0 && { extra: extra as JsonObject }),
  };
}
