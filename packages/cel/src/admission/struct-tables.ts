import { table } from '@pintle/machinery/table';
import type { StructDeclaration } from '../check/environment.ts';
import { BOOL, DYN, INT, listType, mapType, STRING, structType, TIMESTAMP, type Type } from '../types/type.ts';

type Fields = Readonly<Record<string, Type>>;

const strings = (...names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, STRING]));
const kubernetesType = (name: string): Type => structType(`kubernetes.${name}`);
const labels = mapType(STRING, STRING);

/** Types of a request as policies see it, by Kubernetes' names. */
const tables: Readonly<Record<string, Fields>> = table({
  'kubernetes.AdmissionRequest': {
    kind: kubernetesType('GroupVersionKind'),
    resource: kubernetesType('GroupVersionResource'),
    requestKind: kubernetesType('GroupVersionKind'),
    requestResource: kubernetesType('GroupVersionResource'),
    ...strings('subResource', 'requestSubResource', 'name', 'namespace', 'operation'),
    userInfo: kubernetesType('UserInfo'),
    dryRun: BOOL,
    options: DYN,
  },
  'kubernetes.GroupVersionKind': strings('group', 'version', 'kind'),
  'kubernetes.GroupVersionResource': strings('group', 'version', 'resource'),
  'kubernetes.UserInfo': {
    ...strings('username', 'uid'),
    groups: listType(STRING),
    extra: mapType(STRING, listType(STRING)),
  },
  'kubernetes.Namespace': {
    metadata: kubernetesType('NamespaceMetadata'),
    spec: kubernetesType('NamespaceSpec'),
    status: kubernetesType('NamespaceStatus'),
  },
  'kubernetes.NamespaceMetadata': {
    ...strings('name', 'generateName', 'namespace', 'UID', 'resourceVersion'),
    labels,
    annotations: labels,
    creationTimestamp: TIMESTAMP,
    deletionTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    generation: INT,
    finalizers: listType(STRING),
  },
  'kubernetes.NamespaceSpec': { finalizers: listType(STRING) },
  'kubernetes.NamespaceStatus': { conditions: listType(kubernetesType('NamespaceCondition')), phase: STRING },
  'kubernetes.NamespaceCondition': { ...strings('status', 'type', 'message', 'reason'), lastTransitionTime: TIMESTAMP },
});

export const ADMISSION_REQUEST: Type = kubernetesType('AdmissionRequest');
export const NAMESPACE: Type = kubernetesType('Namespace');

export function findTable(name: string): StructDeclaration | undefined {
  return Object.hasOwn(tables, name) ? tableOf(name, tables[name]!) : undefined;
}

function tableOf(name: string, fields: Fields): StructDeclaration {
  return { name, field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined) };
}
