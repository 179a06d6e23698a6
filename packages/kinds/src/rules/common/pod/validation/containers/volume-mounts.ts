import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from '@pintle/machinery/errors';
import type { Container, EphemeralContainer, Volume, VolumeMount } from '../../../../../generated/core/v1.ts';
import { eachItem, isEmpty } from '../../../checks.ts';
import { hasBackstep, validateDescendingPath } from '../paths.ts';

type Mounting = Pick<Container | EphemeralContainer, 'volumeMounts' | 'volumeDevices' | 'securityContext'>;
type Volumes = ReadonlyMap<string, Volume>;

const propagations = ['Bidirectional', 'HostToContainer', 'None'];
const recursiveModes = ['Disabled', 'Enabled', 'IfPossible'];

/** Reports errors about sub-paths and propagation at the list, as in Kubernetes. */
export function validateVolumeMounts(container: Mounting, volumes: Volumes, path: FieldPath): FieldError[] {
  const mountPaths = new Set<string>();
  const devices = new Set(container.volumeDevices?.map(({ name }) => name));
  const devicePaths = new Set(container.volumeDevices?.map(({ devicePath }) => devicePath));
  return eachItem(container.volumeMounts, path, (mount, at) => [
    ...validateMount(mount, volumes, mountPaths, at),
    ...(devices.has(mount.name)
      ? [invalid(at.child('name'), mount.name, 'must not already exist in volumeDevices')]
      : []),
    ...(devicePaths.has(mount.mountPath)
      ? [invalid(at.child('mountPath'), mount.mountPath, 'must not already exist as a path in volumeDevices')]
      : []),
    ...validateSubPaths(mount, at, path),
    ...validatePropagation(mount, container, path.child('mountPropagation')),
    ...validateRecursiveReadOnly(mount, path.child('recursiveReadOnly')),
  ]);
}

/** Block devices come from claims only. */
export function validateVolumeDevices(container: Mounting, volumes: Volumes, path: FieldPath): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = new Set(container.volumeMounts?.map(({ name }) => name));
  const mountPaths = new Set(container.volumeMounts?.map(({ mountPath }) => mountPath));
  return eachItem(container.volumeDevices, path, ({ name, devicePath }, at) => {
    const errors = isEmpty(name) ? [required(at.child('name'))] : [];
    if (names.has(name)) errors.push(invalid(at.child('name'), name, 'must be unique'));
    errors.push(...validateDeviceSource(name, volumes, at.child('name')));
    if (isEmpty(devicePath)) errors.push(required(at.child('devicePath')));
    if (paths.has(devicePath)) errors.push(invalid(at.child('devicePath'), devicePath, 'must be unique'));
    if (hasBackstep(devicePath))
      errors.push(invalid(at.child('devicePath'), devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.has(name)) errors.push(invalid(at.child('name'), name, 'must not already exist in volumeMounts'));
    if (mountPaths.has(devicePath))
      errors.push(invalid(at.child('devicePath'), devicePath, 'must not already exist as a path in volumeMounts'));
    if (!isEmpty(name)) names.add(name);
    return errors;
  });
}

function validateMount(mount: VolumeMount, volumes: Volumes, mountPaths: Set<string>, path: FieldPath): FieldError[] {
  const { name = '', mountPath = '' } = mount;
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(path.child('name')));
  if (!volumes.has(name)) errors.push(notFound(path.child('name'), name));
  if (mountPath === '') errors.push(required(path.child('mountPath')));
  if (mountPaths.has(mountPath)) errors.push(invalid(path.child('mountPath'), mountPath, 'must be unique'));
  mountPaths.add(mountPath);
  return errors;
}

function validateSubPaths({ subPath, subPathExpr }: VolumeMount, path: FieldPath, list: FieldPath): FieldError[] {
  const errors = isEmpty(subPath) ? [] : validateDescendingPath(subPath, list.child('subPath'));
  if (isEmpty(subPathExpr)) return errors;
  if (!isEmpty(subPath))
    errors.push(invalid(path.child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
  return [...errors, ...validateDescendingPath(subPathExpr, list.child('subPathExpr'))];
}

function validatePropagation({ mountPropagation }: VolumeMount, container: Mounting, path: FieldPath): FieldError[] {
  if (mountPropagation === undefined) return [];
  if (!propagations.includes(mountPropagation)) return [notSupported(path, mountPropagation, propagations)];
  if (mountPropagation !== 'Bidirectional' || container.securityContext?.privileged) return [];
  return [forbidden(path, 'Bidirectional mount propagation is available only to privileged containers')];
}

function validateRecursiveReadOnly(mount: VolumeMount, path: FieldPath): FieldError[] {
  const { recursiveReadOnly: mode, readOnly = false, mountPropagation = 'None' } = mount;
  if (mode === undefined || mode === 'Disabled') return [];
  if (!recursiveModes.includes(mode)) return [notSupported(path, mode, recursiveModes)];
  const errors: FieldError[] = [];
  if (!readOnly) errors.push(forbidden(path, 'may only be specified when readOnly is true'));
  if (mountPropagation !== 'None')
    errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'));
  return errors;
}

function validateDeviceSource(name: string, volumes: Volumes, path: FieldPath): FieldError[] {
  const volume = volumes.get(name);
  if (volume === undefined) return [notFound(path, name)];
  if (volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined) return [];
  return [invalid(path, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode')];
}
