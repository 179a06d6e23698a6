import type { ParamKind, ParamRef } from '@pintle/kinds/admissionregistration/v1';
import { builtinGroups } from '@pintle/kinds/discovery';
import type { GroupVersionKind, KubernetesObject } from '@pintle/machinery';
import { parseGroupVersion } from '@pintle/machinery';
import { compileLabelSelector } from '@pintle/machinery/selectors';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { ResourceRegistry } from '../../resource/resource-registry.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { collectionRange } from '../../storage/keys.ts';
import { findObject, toObjects } from '../../storage/object-store.ts';
import { scanRecords } from '../../storage/scan-records.ts';
import { namespaceOf } from '../matching/subject-names.ts';

/** Returns the resource of a `paramKind`. Throws a `ConfigurationFailure` when the kind is unknown. */
export async function parameterResource(
  resources: ResourceRegistry,
  { apiVersion = '', kind = '' }: ParamKind,
): Promise<ServedResource> {
  const { group, version } = parseGroupVersion(apiVersion) ?? { group: '', version: apiVersion };
  const resource = await resourceOfKind(resources, { group, version, kind });
  if (resource !== undefined) return resource;
  const name = `${group}/${version}, Kind=${kind}`;
  throw new ConfigurationFailure(`failed to find resource referenced by paramKind: '${name}'`);
}

/** Returns the resource of a kind, built-in or custom. */
export async function resourceOfKind(
  resources: ResourceRegistry,
  { group, version, kind }: GroupVersionKind,
): Promise<ServedResource | undefined> {
  const builtin = builtinGroups
    .find((candidate) => candidate.group === group)
    ?.versions.find((candidate) => candidate.version === version)
    ?.resources.find((candidate) => candidate.responseKind.kind === kind);
  if (builtin === undefined) return resources.ofKind({ group, version, kind });
  return await resources.find({ group, version, resource: builtin.resource });
}

/**
 * Yields the parameters that a policy is evaluated with; none when the policy is to be skipped. Throws a
 * `ConfigurationFailure` when they cannot be read.
 */
export async function* parametersOf(
  request: AdmissionRequest,
  resource: ServedResource | undefined,
  reference: ParamRef | undefined,
): AsyncGenerator<KubernetesObject | undefined, void> {
  if (resource === undefined || reference === undefined) {
    yield undefined;
    return;
  }
  const namespace = parameterNamespace(request, resource, reference);
  const found = reference.name
    ? named(request, resource, namespace, reference.name)
    : labelled(request, resource, namespace, reference);
  let isFound = false;
  for await (const parameter of found) {
    isFound = true;
    yield parameter;
  }
  if (!isFound && reference.parameterNotFoundAction === 'Deny') {
    throw new ConfigurationFailure('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
}

function parameterNamespace(request: AdmissionRequest, { type }: ServedResource, reference: ParamRef): string {
  if (type.scope === 'Cluster') {
    if (!reference.namespace) return '';
    throw new ConfigurationFailure('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const namespace = reference.namespace || namespaceOf(request);
  if (namespace !== '') return namespace;
  throw new ConfigurationFailure(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
}

async function* named(
  { context }: AdmissionRequest,
  resource: ServedResource,
  namespace: string,
  name: string,
): AsyncGenerator<KubernetesObject, void> {
  const found = await findObject(context.store, resource, namespace, name);
  if (found !== undefined) yield found.object;
}

async function* labelled(
  { context }: AdmissionRequest,
  resource: ServedResource,
  namespace: string,
  reference: ParamRef,
): AsyncGenerator<KubernetesObject, void> {
  const selector = compileLabelSelector(reference.selector ?? {});
  const { signal } = context.request;
  for await (const record of scanRecords(context.store, collectionRange(resource.storage, namespace), { signal })) {
    const [object] = await toObjects(resource, [record]);
    if (selector.matches(object!.metadata.labels)) yield object!;
  }
}

/** A policy that cannot be evaluated as it is configured. Its `failurePolicy` decides whether the request goes on. */
export class ConfigurationFailure extends Error {
  override readonly name = 'ConfigurationFailure';
}
