import { type FieldError, type FieldPath, forbidden, invalid, required } from '@pintle/machinery/errors';
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  SecretVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../../../../generated/core/v1.ts';
import { checkRequired, eachItem, isEmpty } from '../../../checks.ts';
import { validateFieldReference, validateResourceReference } from '../downward-references.ts';
import { validateUnreservedPath } from '../paths.ts';

const volumeFieldPaths = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const shortestTokenSeconds = 600;
const longestTokenSeconds = 2 ** 32;

export function validateSecretSource(source: SecretVolumeSource, path: FieldPath): FieldError[] {
  return [...checkRequired(path.child('secretName'), source.secretName), ...validateFiles(source, path)];
}

export function validateConfigMapSource(source: ConfigMapVolumeSource, path: FieldPath): FieldError[] {
  return [...checkRequired(path.child('name'), source.name), ...validateFiles(source, path)];
}

/** Reports errors about a file at the volume, as in Kubernetes. */
export function validateDownwardSource(source: DownwardAPIVolumeSource, path: FieldPath): FieldError[] {
  return [
    ...validateMode(source.defaultMode, path.child('defaultMode')),
    ...(source.items ?? []).flatMap((file) => validateDownwardFile(file, path)),
  ];
}

/** Checks several sources in one directory, whose files must have different paths. */
export function validateProjectedSource(source: ProjectedVolumeSource, path: FieldPath): FieldError[] {
  const taken = new Set<string>();
  return [
    ...validateMode(source.defaultMode, path.child('defaultMode')),
    ...eachItem(source.sources, path.child('sources'), (projection, at) => [
      ...validateKeyed(projection.secret, taken, at.child('secret'), path),
      ...validateKeyed(projection.configMap, taken, at.child('configMap'), path),
      ...(projection.downwardAPI?.items ?? []).flatMap((file) => [
        ...validateDownwardFile(file, at.child('downwardAPI')),
        ...takePath(file.path, file.path, taken, path),
      ]),
      ...validateToken(projection.serviceAccountToken, at.child('serviceAccountToken'), path),
      ...validateSingle(projection, at),
    ]),
  ];
}

function validateFiles(source: { items?: KeyToPath[]; defaultMode?: number }, path: FieldPath): FieldError[] {
  return [
    ...validateMode(source.defaultMode, path.child('defaultMode')),
    ...eachItem(source.items, path.child('items'), validateKeyToPath),
  ];
}

function validateKeyToPath(item: KeyToPath, path: FieldPath): FieldError[] {
  return [
    ...checkRequired(path.child('key'), item.key),
    ...checkRequired(path.child('path'), item.path),
    ...validateUnreservedPath(item.path, path.child('path')),
    ...validateMode(item.mode, path.child('mode')),
  ];
}

function validateDownwardFile(file: DownwardAPIVolumeFile, path: FieldPath): FieldError[] {
  return [
    ...checkRequired(path.child('path'), file.path),
    ...validateUnreservedPath(file.path, path.child('path')),
    ...validateDownwardReference(file, path),
    ...validateMode(file.mode, path.child('mode')),
  ];
}

function validateDownwardReference(
  { fieldRef, resourceFieldRef }: DownwardAPIVolumeFile,
  path: FieldPath,
): FieldError[] {
  if (fieldRef === undefined && resourceFieldRef === undefined)
    return [required(path, 'one of fieldRef and resourceFieldRef is required')];
  if (fieldRef === undefined)
    return validateResourceReference(resourceFieldRef, path.child('resourceFieldRef'), { isInVolume: true });
  const errors = validateFieldReference(fieldRef, volumeFieldPaths, path.child('fieldRef'));
  if (resourceFieldRef !== undefined)
    errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  return errors;
}

function validateKeyed(
  source: { name?: string; items?: KeyToPath[] } | undefined,
  taken: Set<string>,
  path: FieldPath,
  volumePath: FieldPath,
): FieldError[] {
  if (source === undefined) return [];
  return [
    ...checkRequired(path.child('name'), source.name),
    ...eachItem(source.items, path.child('items'), (item, at) => [
      ...validateKeyToPath(item, at),
      ...takePath(item.path, source.name, taken, volumePath),
    ]),
  ];
}

function takePath(
  file: string | undefined,
  shown: string | undefined,
  taken: Set<string>,
  path: FieldPath,
): FieldError[] {
  if (isEmpty(file)) return [];
  if (taken.has(file)) return [invalid(path, shown ?? '', 'conflicting duplicate paths')];
  taken.add(file);
  return [];
}

function validateToken(
  token: ServiceAccountTokenProjection | undefined,
  path: FieldPath,
  volumePath: FieldPath,
): FieldError[] {
  if (token === undefined) return [];
  const seconds = token.expirationSeconds ?? 0;
  const errors: FieldError[] = [];
  if (seconds < shortestTokenSeconds)
    errors.push(invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > longestTokenSeconds)
    errors.push(
      invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration larger than 2^32 seconds'),
    );
  const at = volumePath.child('path');
  return [...errors, ...(isEmpty(token.path) ? [required(at)] : validateUnreservedPath(token.path, at))];
}

function validateSingle(projection: VolumeProjection, path: FieldPath): FieldError[] {
  if (Object.keys(projection).length <= 1) return [];
  return [forbidden(path, 'may not specify more than 1 volume type per source')];
}

function validateMode(mode: number | undefined, path: FieldPath): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}
