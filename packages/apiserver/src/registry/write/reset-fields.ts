import type { FieldPath } from '@pintle/machinery/fields';
import { FieldSet } from '@pintle/machinery/fields';
import type { ServedResource } from '../../resource/served-resource.ts';

/** Fields that a write through an endpoint does not change, and so cannot own. */
export type ResetFields = FieldSet | undefined;

const STATUS = paths('status');
const SPEC = paths('spec');
const ALL_BUT_STATUS = paths('spec', 'metadata');

/** Returns the fields that a write to the resource or a subresource leaves unchanged. */
export function resetFieldsOf(resource: ServedResource, subresource: string): ResetFields {
  const { group, plural } = resource.type;
  const name = subresource === '' ? `${group}/${plural}` : `${group}/${plural}/${subresource}`;
  const special = SPECIAL.get(name);
  if (special !== undefined) return special;
  if (subresource === 'status') return resource.isCustom || KEEPS_METADATA.has(name) ? ALL_BUT_STATUS : SPEC;
  return subresource === '' && resource.subresources.has('status') ? STATUS : undefined;
}

/** Kinds whose status is written without labels and annotations. Older kinds accept those. */
const KEEPS_METADATA: ReadonlySet<string> = new Set(
  [
    ['admissionregistration.k8s.io', 'validatingadmissionpolicies'],
    ['apiextensions.k8s.io', 'customresourcedefinitions'],
    ['apiregistration.k8s.io', 'apiservices'],
    ['certificates.k8s.io', 'podcertificaterequests'],
    ['flowcontrol.apiserver.k8s.io', 'flowschemas'],
    ['flowcontrol.apiserver.k8s.io', 'prioritylevelconfigurations'],
    ['internal.apiserver.k8s.io', 'storageversions'],
    ['networking.k8s.io', 'servicecidrs'],
    ['resource.k8s.io', 'devicetaintrules'],
    ['resource.k8s.io', 'resourceclaims'],
    ['resource.k8s.io', 'resourcepoolstatusrequests'],
    ['scheduling.k8s.io', 'podgroups'],
    ['storage.k8s.io', 'csinodes'],
    ['storage.k8s.io', 'volumeattachments'],
    ['storagemigration.k8s.io', 'storageversionmigrations'],
  ].map(([group, resource]) => `${group}/${resource}/status`),
);

/**
 * Special subresources. Ephemeral containers and resizes are missing: Kubernetes lets a manager own fields there that
 * it cannot change.
 */
const SPECIAL: ReadonlyMap<string, ResetFields> = new Map<string, ResetFields>([
  ['certificates.k8s.io/certificatesigningrequests', paths('spec', 'status')],
  ['certificates.k8s.io/certificatesigningrequests/status', paths('spec', 'status.conditions')],
  ['certificates.k8s.io/certificatesigningrequests/approval', paths('spec', 'status.certificate')],
  ['apps/deployments/status', paths('spec', 'metadata.labels')],
  ['/namespaces/finalize', STATUS],
  ['/pods/status', paths('spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences')],
]);

function paths(...texts: readonly string[]): FieldSet {
  return FieldSet.of(...texts.map((text): FieldPath => text.split('.').map((field) => ({ field }))));
}
