import type { CachedClient } from '@pintle/client';
import { PersistentVolumeClaim } from '@pintle/kinds/core/v1';
import type { StorageClass } from '@pintle/kinds/storage/v1';
import { classOf, PROVISIONERS } from './storage-names.ts';
import type { RecordClaimEvent } from './sync-claim.ts';

/** CSI drivers that replaced the in-tree plugins. */
const MIGRATED_DRIVERS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
]);

/** Annotates the claim with the external driver that provisions its volume. */
export async function provision(
  client: CachedClient,
  claim: PersistentVolumeClaim,
  storage: StorageClass | undefined,
  recordEvent: RecordClaimEvent,
): Promise<void> {
  if (storage === undefined)
    return recordEvent('Warning', 'ProvisioningFailed', `storageclass.storage.k8s.io "${classOf(claim)}" not found`);
  const provisioner = MIGRATED_DRIVERS.get(storage.provisioner) ?? storage.provisioner;
  if (provisioner.startsWith('kubernetes.io/'))
    return recordEvent('Warning', 'ProvisioningFailed', `no volume plugin matched name: ${provisioner}`);
  if (claim.metadata.annotations?.[PROVISIONERS[1]] !== provisioner) {
    const marks = Object.fromEntries(PROVISIONERS.map((annotation) => [annotation, provisioner]));
    const metadata = { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...marks } };
    await client.update(PersistentVolumeClaim, { ...claim, metadata });
  }
  recordEvent(
    'Normal',
    'ExternalProvisioning',
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
  );
}
