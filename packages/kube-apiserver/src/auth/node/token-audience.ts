import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@pintle/kinds/core/v1';
import type { CSIDriver } from '@pintle/kinds/storage/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { quote } from '@pintle/machinery/errors';

/** Reads an object by the singular name of its resource; `undefined` when it does not exist. */
type FindObject = (
  singular: 'persistentvolumeclaim' | 'persistentvolume' | 'csidriver.storage.k8s.io',
  namespace: string,
  name: string,
) => Promise<KubernetesObject | undefined>;

/** CSI drivers that replaced built-in volume plugins. */
const MIGRATED = [
  ['awsElasticBlockStore', 'ebs.csi.aws.com'],
  ['gcePersistentDisk', 'pd.csi.storage.gke.io'],
  ['cinder', 'cinder.csi.openstack.org'],
  ['azureDisk', 'disk.csi.azure.com'],
  ['azureFile', 'file.csi.azure.com'],
  ['vsphereVolume', 'csi.vsphere.vmware.com'],
  ['portworxVolume', 'pxd.portworx.com'],
] as const;

interface AudienceUse {
  readonly isUsed: boolean;
  /** Objects that the pod's volumes need and that do not exist. */
  readonly problems: readonly string[];
}

/**
 * Checks whether a volume of the pod uses tokens for the audience: a projected one, or one whose CSI driver requests
 * them.
 */
export async function audienceUse(pod: Pod, audience: string, find: FindObject): Promise<AudienceUse> {
  const problems = new Set<string>();
  const findOrNote = async <T extends KubernetesObject>(...target: Parameters<FindObject>): Promise<T | undefined> => {
    const found = await find(...target);
    if (found === undefined) problems.add(`${target[0]} ${quote(target[2])} not found`);
    return found as T | undefined;
  };
  const seen = new Set<string>();
  for (const volume of pod.spec?.volumes ?? []) {
    if (hasProjectedToken(volume, audience)) return { isUsed: true, problems: [] };
    const driverName = driverOf(volume) ?? (await driverOfClaim(pod, volume, findOrNote));
    if (driverName === undefined || seen.has(driverName)) continue;
    seen.add(driverName);
    const driver = await findOrNote<CSIDriver>('csidriver.storage.k8s.io', '', driverName);
    if (driver?.spec.tokenRequests?.some((request) => request.audience === audience)) {
      return { isUsed: true, problems: [] };
    }
  }
  return { isUsed: false, problems: [...problems] };
}

function hasProjectedToken({ projected }: Volume, audience: string): boolean {
  const sources = projected?.sources ?? [];
  return sources.some(({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? '') === audience);
}

function driverOf(source: Pick<Volume, 'csi' | (typeof MIGRATED)[number][0]>): string | undefined {
  return source.csi?.driver ?? MIGRATED.find(([field]) => source[field] !== undefined)?.[1];
}

async function driverOfClaim(
  { metadata: { namespace = '', name = '' } }: Pod,
  volume: Volume,
  find: <T extends KubernetesObject>(...target: Parameters<FindObject>) => Promise<T | undefined>,
): Promise<string | undefined> {
  const ephemeral = volume.ephemeral?.volumeClaimTemplate === undefined ? undefined : `${name}-${volume.name}`;
  const claimName = ephemeral ?? volume.persistentVolumeClaim?.claimName;
  if (claimName === undefined) return undefined;
  const claim = await find<PersistentVolumeClaim>('persistentvolumeclaim', namespace, claimName);
  if (claim === undefined) return undefined;
  const bound = await find<PersistentVolume>('persistentvolume', '', claim.spec?.volumeName ?? '');
  return bound?.spec && driverOf(bound.spec);
}
