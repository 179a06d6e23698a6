import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '@pintle/machinery/errors';
import {
  byteLength,
  dns1123SubdomainName,
  rangeMessage,
  validateDns1123Label,
  validateDns1123Subdomain,
} from '@pintle/machinery/names';
import type {
  AzureDiskVolumeSource,
  CSIVolumeSource,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GitRepoVolumeSource,
  HostPathVolumeSource,
  ImageVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
  Volume,
} from '../../../../../generated/core/v1.ts';
import {
  checkChoice,
  checkOptionalChoice,
  checkRequired,
  isEmpty,
  optionalMatching,
  problems,
  requiredMatching,
  sortedEntries,
} from '../../../checks.ts';
import { quantitySign } from '../../../quantities.ts';
import { pullPolicies } from '../containers/containers.ts';
import type { PodSpecContext } from '../context.ts';
import { validateDescendingPath, validateNoBacksteps } from '../paths.ts';
import { validateClaimTemplate } from './claim-spec.ts';
import {
  validateConfigMapSource,
  validateDownwardSource,
  validateProjectedSource,
  validateSecretSource,
} from './projected-volumes.ts';

type Rule<T> = (source: T, path: FieldPath, context: PodSpecContext) => FieldError[];

export type SourceName = Exclude<keyof Volume, 'name'>;

/** The rules of each volume source, in the order in which Kubernetes looks for them. */
export const volumeSourceRules: { readonly [N in SourceName]-?: Rule<NonNullable<Volume[N]>> } = {
  emptyDir: validateEmptyDir,
  hostPath: validateHostPath,
  gitRepo: validateGitRepo,
  gcePersistentDisk: (disk, path) => [
    ...checkRequired(path.child('pdName'), disk.pdName),
    ...validatePartition(disk.partition, path.child('partition')),
  ],
  awsElasticBlockStore: (store, path) => [
    ...checkRequired(path.child('volumeID'), store.volumeID),
    ...validatePartition(store.partition, path.child('partition')),
  ],
  secret: validateSecretSource,
  nfs: validateNfs,
  iscsi: (source, path) => validateIscsi(source, path),
  glusterfs: (source, path) => [
    ...checkRequired(path.child('endpoints'), source.endpoints),
    ...checkRequired(path.child('path'), source.path),
  ],
  flocker: validateFlocker,
  persistentVolumeClaim: (claim, path) => checkRequired(path.child('claimName'), claim.claimName),
  rbd: (source, path) => [
    ...requiredMonitors(source.monitors, path),
    ...checkRequired(path.child('image'), source.image),
  ],
  cinder: (source, path) => [
    ...checkRequired(path.child('volumeID'), source.volumeID),
    ...validateSecretName(source.secretRef, path),
  ],
  cephfs: (source, path) => requiredMonitors(source.monitors, path),
  quobyte: validateQuobyte,
  downwardAPI: validateDownwardSource,
  fc: validateFibreChannel,
  flexVolume: validateFlexVolume,
  configMap: validateConfigMapSource,
  azureFile: (source, path) => [
    ...checkRequired(path.child('secretName'), source.secretName),
    ...checkRequired(path.child('shareName'), source.shareName),
  ],
  vsphereVolume: (source, path) => checkRequired(path.child('volumePath'), source.volumePath),
  photonPersistentDisk: (source, path) => checkRequired(path.child('pdID'), source.pdID),
  portworxVolume: (source, path) => checkRequired(path.child('volumeID'), source.volumeID),
  azureDisk: validateAzureDisk,
  storageos: validateStorageOs,
  projected: validateProjectedSource,
  scaleIO: (source, path) => [
    ...checkRequired(path.child('gateway'), source.gateway),
    ...checkRequired(path.child('system'), source.system),
    ...checkRequired(path.child('volumeName'), source.volumeName),
  ],
  csi: validateCsi,
  ephemeral: validateEphemeral,
  image: validateImage,
};

export const sourceNames = Object.keys(volumeSourceRules) as readonly SourceName[];

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function validateEmptyDir({ sizeLimit }: EmptyDirVolumeSource, path: FieldPath): FieldError[] {
  if (sizeLimit === undefined || quantitySign(sizeLimit) >= 0) return [];
  return [forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')];
}

function validateHostPath(source: HostPathVolumeSource, path: FieldPath): FieldError[] {
  if (isEmpty(source.path)) return [required(path.child('path'))];
  return [
    ...validateNoBacksteps(source.path, path.child('path')),
    ...checkOptionalChoice(path.child('type'), source.type, hostPathTypes),
  ];
}

function validateGitRepo({ repository, directory }: GitRepoVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...checkRequired(path.child('repository'), repository),
    ...validateDescendingPath(directory, path.child('directory')),
  ];
}

function validatePartition(partition: number | undefined, path: FieldPath): FieldError[] {
  return isByte(partition ?? 0) ? [] : [invalid(path, partition, rangeMessage(1, 255))];
}

function validateNfs(source: NFSVolumeSource, path: FieldPath): FieldError[] {
  const { path: folder = '' } = source;
  return [
    ...checkRequired(path.child('server'), source.server),
    ...checkRequired(path.child('path'), folder),
    ...(folder.startsWith('/') ? [] : [invalid(path.child('path'), folder, 'must be an absolute path')]),
  ];
}

/** A PersistentVolume has a few fields more than a Pod's volume. `persistentVolume` is its name. */
export function validateIscsi(
  source: Omit<ISCSIVolumeSource, 'secretRef'> & { readonly secretRef?: { readonly name?: string } },
  path: FieldPath,
  persistentVolume?: string,
): FieldError[] {
  const isPersistent = persistentVolume !== undefined;
  const nameProblems = (name: string) => initiatorProblems(name, isPersistent ? unknownName : unknownNameInPod);
  const { lun = 0, initiatorName, secretRef } = source;
  const needsSecret = (source.chapAuthDiscovery || source.chapAuthSession) && secretRef === undefined;
  return [
    ...checkRequired(path.child('targetPortal'), source.targetPortal),
    ...(isPersistent ? validatePortalLength(source, persistentVolume, path.child('targetportal')) : []),
    ...requiredMatching(source.iqn, nameProblems, path.child('iqn')),
    ...(isByte(lun) ? [] : [invalid(path.child('lun'), lun, rangeMessage(0, 255))]),
    ...(needsSecret ? [required(path.child('secretRef'))] : []),
    ...(isPersistent ? validateSecretName(secretRef, path) : []),
    ...(initiatorName === undefined
      ? []
      : problems(path.child('initiatorname'), initiatorName, nameProblems(initiatorName))),
  ];
}

/** Volume and portal together form the name of the interface of a custom initiator. */
function validatePortalLength(
  { initiatorName, targetPortal = '' }: Omit<ISCSIVolumeSource, 'secretRef'>,
  volume: string,
  path: FieldPath,
): FieldError[] {
  if (initiatorName === undefined || byteLength(`${volume}:${targetPortal}`) <= 64) return [];
  const rule = 'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters';
  return [invalid(path, targetPortal, `${rule} if iscsi.initiatorName is specified.`)];
}

const unknownName = 'must be valid format';
const unknownNameInPod = 'must be valid format starting with iqn, eui, or naa';

function initiatorProblems(name: string, unknownName: string): string[] {
  if (name.startsWith('iqn')) return isQualifiedIscsiName(name) ? [] : ['must be valid format'];
  if (name.startsWith('eui')) return /^eui.[A-Za-z0-9]{16}$/.test(name) ? [] : ['must be valid format'];
  if (name.startsWith('naa')) return /^naa.[A-Za-z0-9]{32}$/.test(name) ? [] : ['must be valid format'];
  return [unknownName];
}

function isQualifiedIscsiName(name: string): boolean {
  return /^iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/.test(name);
}

function validateFlocker({ datasetName = '', datasetUUID = '' }: FlockerVolumeSource, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (datasetName === '' && datasetUUID === '')
    errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName !== '' && datasetUUID !== '')
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (datasetName.includes('/')) errors.push(invalid(path.child('datasetName'), datasetName, "must not contain '/'"));
  return errors;
}

function requiredMonitors(monitors: readonly string[] | undefined, path: FieldPath): FieldError[] {
  return (monitors ?? []).length > 0 ? [] : [required(path.child('monitors'))];
}

function validateSecretName(reference: { name?: string } | undefined, path: FieldPath): FieldError[] {
  return reference === undefined ? [] : checkRequired(path.child('secretRef', 'name'), reference.name);
}

function validateQuobyte({ registry = '', tenant = '', volume }: QuobyteVolumeSource, path: FieldPath): FieldError[] {
  const pairs = 'must be a host:port pair or multiple pairs separated by commas';
  const errors: FieldError[] = [];
  if (registry === '') errors.push(required(path.child('registry'), pairs));
  else if (byteLength(tenant) >= 65)
    errors.push(required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  else
    errors.push(
      ...registry
        .split(',')
        .filter((pair) => !/^(\[[^\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair))
        .map(() => invalid(path.child('registry'), registry, pairs)),
    );
  return [...errors, ...checkRequired(path.child('volume'), volume)];
}

function validateFibreChannel({ targetWWNs = [], wwids = [], lun }: FCVolumeSource, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const names = path.child('targetWWNs');
  if (targetWWNs.length === 0 && wwids.length === 0)
    errors.push(required(names, 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length > 0 && wwids.length > 0)
    errors.push(invalid(names, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  if (targetWWNs.length === 0) return errors;
  if (lun === undefined) return [...errors, required(path.child('lun'), 'lun is required if targetWWNs is specified')];
  return isByte(lun) ? errors : [...errors, invalid(path.child('lun'), lun, rangeMessage(0, 255))];
}

function validateFlexVolume({ driver, options }: FlexVolumeSource, path: FieldPath): FieldError[] {
  const reserved = sortedEntries(options).filter(([key]) => {
    const domain = `.${key.split('/', 1)[0]!.toLowerCase()}`;
    return domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io');
  });
  return [
    ...checkRequired(path.child('driver'), driver),
    ...reserved.map(([key]) =>
      invalid(path.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved'),
    ),
  ];
}

function validateStorageOs(source: StorageOSVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...requiredMatching(source.volumeName, validateDns1123Label, path.child('volumeName')),
    ...optionalMatching(source.volumeNamespace, validateDns1123Label, path.child('volumeNamespace')),
    ...validateSecretName(source.secretRef, path),
  ];
}

function validateCsi({ driver = '', nodePublishSecretRef: secret }: CSIVolumeSource, path: FieldPath): FieldError[] {
  const errors = checkRequired(path.child('driver'), driver);
  if (driver !== '') {
    if (byteLength(driver) > 63) errors.push(tooLong(path.child('driver'), 63));
    errors.push(...problems(path.child('driver'), driver, validateDns1123Subdomain(driver.toLowerCase())));
  }
  if (secret === undefined) return errors;
  if (isEmpty(secret.name)) return [...errors, required(path.child('nodePublishSecretRef', 'name'))];
  return [...errors, ...problems(path.child('name'), secret.name, dns1123SubdomainName(secret.name, false))];
}

function validateEphemeral({ volumeClaimTemplate: template }: EphemeralVolumeSource, path: FieldPath): FieldError[] {
  const at = path.child('volumeClaimTemplate');
  return template === undefined ? [required(at)] : validateClaimTemplate(template, at);
}

function validateImage(
  { reference, pullPolicy }: ImageVolumeSource,
  path: FieldPath,
  { isPod }: PodSpecContext,
): FieldError[] {
  return [
    ...(isPod ? checkRequired(path.child('reference'), reference) : []),
    ...checkChoice(path.child('pullPolicy'), pullPolicy, pullPolicies),
  ];
}

function isByte(number: number): boolean {
  return number >= 0 && number <= 255;
}

const managedUri = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobUri = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

function validateAzureDisk(disk: AzureDiskVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...checkRequired(path.child('diskName'), disk.diskName),
    ...checkRequired(path.child('diskURI'), disk.diskURI),
    ...checkOptionalChoice(path.child('cachingMode'), disk.cachingMode, ['None', 'ReadOnly', 'ReadWrite']),
    ...checkOptionalChoice(path.child('kind'), disk.kind, ['Dedicated', 'Managed', 'Shared']),
    ...validateUri(disk, path.child('diskURI')),
  ];
}

function validateUri({ kind, diskURI = '' }: AzureDiskVolumeSource, path: FieldPath): FieldError[] {
  if (kind === undefined) return [];
  const isManaged = kind === 'Managed';
  if (diskURI.startsWith(isManaged ? '/subscriptions/' : 'https://')) return [];
  return [notSupported(path, diskURI, [isManaged ? managedUri : blobUri])];
}
