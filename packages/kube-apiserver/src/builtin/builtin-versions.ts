import type { CatalogResource, CatalogVersion } from '@pintle/apiserver/discovery';
import type { BuiltinResource } from '@pintle/kinds/discovery';
import { builtinGroups } from '@pintle/kinds/discovery';
import type { GroupVersionKind } from '@pintle/machinery';
import { table } from '@pintle/machinery/table';

/** Returns the built-in groups and versions as catalog entries. */
export function builtinVersions(): CatalogVersion[] {
  return builtinGroups.flatMap(({ group, versions }) =>
    versions.map(({ version, resources }, index) => ({
      group,
      version,
      groupPriority: GROUP_PRIORITIES[group] ?? DEFAULT_GROUP_PRIORITY,
      versionPriority: NEWEST_VERSION_PRIORITY - index,
      resources: resources.map((resource) => toCatalog(group, version, resource)),
      isCustom: false,
    })),
  );
}

function toCatalog(group: string, version: string, resource: BuiltinResource): CatalogResource {
  if (!resource.verbs.includes('list') || KEEP_NOTHING.has(resource.resource)) return resource;
  const { kind } = resource.responseKind;
  return { ...resource, storedAs: STORED_OTHERWISE[`${group}/${version}/${kind}`] ?? { group, version, kind } };
}

/** Priorities of Kubernetes' own APIServices, so that those of users sort the same. */
const GROUP_PRIORITIES: Readonly<Record<string, number>> = table({
  // Comes before everything that is registered.
  'apiregistration.k8s.io': Number.MAX_SAFE_INTEGER,
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
});
const DEFAULT_GROUP_PRIORITY = 15_000;
const NEWEST_VERSION_PRIORITY = 30;

/** Resources that can be listed although nothing is stored. */
const KEEP_NOTHING: ReadonlySet<string> = new Set(['componentstatuses']);

/** Kinds that Kubernetes stores in another version than the one served; storage version hashes show it. */
const STORED_OTHERWISE: Readonly<Record<string, GroupVersionKind>> = table({
  'events.k8s.io/v1/Event': { group: '', version: 'v1', kind: 'Event' },
  'autoscaling/v1/HorizontalPodAutoscaler': { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy': {
    group: 'admissionregistration.k8s.io',
    version: 'v1beta1',
    kind: 'MutatingAdmissionPolicy',
  },
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding': {
    group: 'admissionregistration.k8s.io',
    version: 'v1beta1',
    kind: 'MutatingAdmissionPolicyBinding',
  },
  'apiextensions.k8s.io/v1/CustomResourceDefinition': {
    group: 'apiextensions.k8s.io',
    version: 'v1beta1',
    kind: 'CustomResourceDefinition',
  },
});
