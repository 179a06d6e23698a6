import type { KubernetesObject, ManagedFieldsEntry } from '@pintle/machinery';
import { table } from '@pintle/machinery/table';
import { formatTime } from '@pintle/machinery/time';

/**
 * Field ownership by kind, written by hand: the schemas, which define it, are too large to load before the first
 * request.
 */
interface KindFields {
  /** Fields that the server fills in after ownership is recorded. */
  readonly filledIn?: readonly string[];
  /** Structs that always exist and so have no owner. */
  readonly structs?: readonly string[];
  /** Objects that are owned as a whole. Lists are too, except for the ports of a service. */
  readonly whole?: readonly string[];
  readonly keyedLists?: Readonly<Record<string, readonly string[]>>;
}

const KINDS: Readonly<Record<string, KindFields>> = table({
  Namespace: { filledIn: ['spec'] },
  Service: {
    filledIn: ['spec.clusterIPs', 'spec.ipFamilies'],
    keyedLists: { 'spec.ports': ['port', 'protocol'] },
  },
  ClusterRoleBinding: { whole: ['roleRef'] },
  RoleBinding: { whole: ['roleRef'] },
  FlowSchema: { structs: ['spec.priorityLevelConfiguration'] },
});

const FLOW_CONTROL = 'api-priority-and-fairness-config';

/** Returns the managedFields of an object that every server creates. */
export function ownersOfSeed(object: KubernetesObject, nowMs: number): ManagedFieldsEntry[] {
  const entryOf = (
    manager: string,
    operation: 'Apply' | 'Update',
    fieldsV1: object,
    subresource?: string,
  ): ManagedFieldsEntry => ({
    manager,
    operation,
    apiVersion: object.apiVersion,
    time: formatTime(nowMs),
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsV1 as ManagedFieldsEntry['fieldsV1'] & object,
    ...(subresource && { subresource }),
  });
  const isFlow = object.apiVersion.startsWith('flowcontrol.');
  const isAggregated = 'aggregationRule' in object && object.aggregationRule !== undefined;
  const { status: _status, ...sent } = object as KubernetesObject & { status?: unknown };
  if (isAggregated) delete (sent as { rules?: unknown }).rules;
  return [
    ...(isAggregated ? [entryOf('clusterrole-aggregation-controller', 'Apply', { 'f:rules': {} })] : []),
    ...(object.kind === 'FlowSchema'
      ? [entryOf(`${FLOW_CONTROL}-consumer-v1`, 'Apply', condition('Dangling', DETAILS), 'status')]
      : []),
    ...(object.kind === 'ServiceCIDR'
      ? [entryOf('kubernetes-service-cidr-controller', 'Apply', condition('Ready', []), 'status')]
      : []),
    entryOf(isFlow ? `${FLOW_CONTROL}-producer-v1` : 'kube-apiserver', 'Update', sentFields(sent)),
  ];
}

const DETAILS = ['f:lastTransitionTime', 'f:message', 'f:reason'];

function condition(type: string, details: readonly string[]): object {
  const fields = ['.', ...details, 'f:status', 'f:type'].map((name) => [name, {}]);
  return { 'f:status': { 'f:conditions': { [`k:{"type":"${type}"}`]: Object.fromEntries(fields) } } };
}

function sentFields({ apiVersion: _apiVersion, kind, metadata, ...rest }: KubernetesObject): object {
  const { labels, annotations } = metadata;
  const notes = { ...(annotations && { annotations }), ...(labels && { labels }) };
  const sent = { ...(Object.keys(notes).length > 0 && { metadata: notes }), ...rest };
  return fieldsIn(sent, '', KINDS[kind] ?? {});
}

const TOP_STRUCTS = ['', 'metadata', 'spec'];

function fieldsIn(object: object, path: string, kind: KindFields): object {
  const isStruct = TOP_STRUCTS.includes(path) || kind.structs?.includes(path);
  const fields: Record<string, object> = isStruct ? {} : { '.': {} };
  for (const [name, value] of Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const at = path === '' ? name : `${path}.${name}`;
    if (value !== undefined && !kind.filledIn?.includes(at)) fields[`f:${name}`] = fieldsOf(value, at, kind);
  }
  return fields;
}

function fieldsOf(value: unknown, path: string, kind: KindFields): object {
  if (typeof value !== 'object' || value === null || kind.whole?.includes(path)) return {};
  if (!Array.isArray(value)) return fieldsIn(value, path, kind);
  const keys = kind.keyedLists?.[path];
  if (keys === undefined) return {};
  const items = value.map((item: Record<string, unknown>) => {
    const key = JSON.stringify(Object.fromEntries(keys.map((name) => [name, item[name]])));
    return [`k:${key}`, fieldsIn(item, `${path}[]`, {})];
  });
  return { '.': {}, ...Object.fromEntries(items) };
}
