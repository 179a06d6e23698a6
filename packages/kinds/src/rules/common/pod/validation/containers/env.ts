import { type FieldError, type FieldPath, invalid } from '@pintle/machinery/errors';
import {
  dns1123SubdomainName,
  validateConfigMapKey,
  validateDns1123Label,
  validateRelaxedEnvVarName,
} from '@pintle/machinery/names';
import type { EnvFromSource, EnvVar, EnvVarSource, FileKeySelector } from '../../../../../generated/core/v1.ts';
import { checkRequired, eachItem, optionalMatching, problems, requiredMatching } from '../../../checks.ts';
import { validateFieldReference, validateResourceReference } from '../downward-references.ts';
import { validateNoBacksteps } from '../paths.ts';

const fieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

export function validateEnv(variables: readonly EnvVar[] | undefined, path: FieldPath): FieldError[] {
  return eachItem(variables, path, (variable, at) => [
    ...requiredMatching(variable.name, validateRelaxedEnvVarName, at.child('name')),
    ...validateValueFrom(variable, at.child('valueFrom')),
  ]);
}

export function validateEnvFrom(sources: readonly EnvFromSource[] | undefined, path: FieldPath): FieldError[] {
  return eachItem(sources, path, (source, at) => [
    ...optionalMatching(source.prefix, validateRelaxedEnvVarName, at.child('prefix')),
    ...validateSourceName(source.configMapRef, at.child('configMapRef', 'name')),
    ...validateSourceName(source.secretRef, at.child('secretRef', 'name')),
    ...validateOneSource(source, path),
  ]);
}

function validateValueFrom({ value = '', valueFrom }: EnvVar, path: FieldPath): FieldError[] {
  if (valueFrom === undefined) return [];
  const errors = validateSources(valueFrom, path);
  const count = Object.keys(valueFrom).length;
  if (count === 0)
    errors.push(
      invalid(
        path,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    );
  else if (value !== '') errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  else if (count > 1) errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
  return errors;
}

function validateSources(source: EnvVarSource, path: FieldPath): FieldError[] {
  return [
    ...validateFieldReference(source.fieldRef, fieldPaths, path.child('fieldRef')),
    ...validateResourceReference(source.resourceFieldRef, path.child('resourceFieldRef')),
    ...validateKeyReference(source.configMapKeyRef, path.child('configMapKeyRef')),
    ...validateKeyReference(source.secretKeyRef, path.child('secretKeyRef')),
    ...validateFileKey(source.fileKeyRef, path.child('fileKeyRef')),
  ];
}

function validateKeyReference(reference: { name?: string; key?: string } | undefined, path: FieldPath): FieldError[] {
  if (reference === undefined) return [];
  const name = reference.name ?? '';
  return [
    ...problems(path.child('name'), name, dns1123SubdomainName(name, false)),
    ...requiredMatching(reference.key, validateConfigMapKey, path.child('key')),
  ];
}

function validateFileKey(file: FileKeySelector | undefined, path: FieldPath): FieldError[] {
  if (file === undefined) return [];
  return [
    ...requiredMatching(file.key, validateRelaxedEnvVarName, path.child('key')),
    ...requiredMatching(file.volumeName, validateDns1123Label, path.child('volumeName')),
    ...checkRequired(path.child('path'), file.path),
    ...validateNoBacksteps(file.path, path.child('path')),
  ];
}

function validateSourceName(source: { name?: string } | undefined, path: FieldPath): FieldError[] {
  return source === undefined ? [] : requiredMatching(source.name, (name) => dns1123SubdomainName(name, true), path);
}

/** Reported at the list, not at the entry, as in Kubernetes. */
function validateOneSource({ configMapRef, secretRef }: EnvFromSource, path: FieldPath): FieldError[] {
  if (configMapRef === undefined && secretRef === undefined)
    return [invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')];
  if (configMapRef === undefined || secretRef === undefined) return [];
  return [invalid(path, '', 'may not have more than one field specified at a time')];
}
