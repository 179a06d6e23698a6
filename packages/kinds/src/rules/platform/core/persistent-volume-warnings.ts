import { FieldPath } from '@pintle/machinery/errors';
import { table } from '@pintle/machinery/table';
import type { PersistentVolume, PersistentVolumeSpec } from '../../../generated/core/v1.ts';
import { nodeTermWarnings } from '../../common/node-selector.ts';

const deprecatedAnnotations: Readonly<Record<string, string>> = table({
  'volume.beta.kubernetes.io/storage-class': 'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
});

/** Deprecated sources of volumes, with their names in warnings. */
const deprecatedSources: readonly (readonly [source: keyof PersistentVolumeSpec, shown: string, message: string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

export function volumeWarnings({ metadata, spec = {} }: PersistentVolume): string[] {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const termsPath = FieldPath.of('spec', 'nodeAffinity', 'required', 'nodeSelectorTerms');
  return [
    ...Object.entries(deprecatedAnnotations)
      .filter(([key]) => Object.hasOwn(metadata.annotations ?? {}, key))
      .map(([key, message]) => `${FieldPath.of('metadata', 'annotations').key(key)}: ${message}`),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle'
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        ]
      : []),
    ...terms.flatMap((term, index) => nodeTermWarnings(term, termsPath.index(index))),
    ...deprecatedSources
      .filter(([source]) => spec[source] !== undefined)
      .map(([, shown, message]) => `spec.${shown}: ${message}`),
  ];
}
