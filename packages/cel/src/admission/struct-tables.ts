import { table } from '@pintle/machinery/table';
import type { StructDeclaration } from '../check/environment.ts';
import { BOOL, DYN, INT, listType, mapType, STRING, structType, TIMESTAMP, type Type } from '../types/type.ts';

type Fields = Readonly<Record<string, Type>>;

const strings = (...names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, STRING]));
const own = (name: string): Type => structType(`kubernetes.${name}`);
const labels = mapType(STRING, STRING);

/** Types of a request as policies see it, by Kubernetes' names. */
const tables: Readonly<Record<string, Fields>> = table({
  'kubernetes.AdmissionRequest': {
    kind: own('GroupVersionKind'),
    resource: own('GroupVersionResource'),
    requestKind: own('GroupVersionKind'),
    requestResource: own('GroupVersionResource'),
    ...strings('subResource', 'requestSubResource', 'name', 'namespace', 'operation'),
    userInfo: own('UserInfo'),
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
    metadata: own('NamespaceMetadata'),
    spec: own('NamespaceSpec'),
    status: own('NamespaceStatus'),
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
  'kubernetes.NamespaceStatus': { conditions: listType(own('NamespaceCondition')), phase: STRING },
  'kubernetes.NamespaceCondition': { ...strings('status', 'type', 'message', 'reason'), lastTransitionTime: TIMESTAMP },
});

export const ADMISSION_REQUEST: Type = own('AdmissionRequest');
export const NAMESPACE: Type = own('Namespace');

export function findTable(name: string): StructDeclaration | undefined {
  return Object.hasOwn(tables, name) ? tableOf(name, tables[name]!) : undefined;
}

function tableOf(name: string, fields: Fields): StructDeclaration {
  return { name, field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined) };
}
