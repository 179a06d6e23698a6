import { schemaOf } from '@pintle/kinds/schemas';
import type { KubernetesObject } from '@pintle/machinery';
import { conflictError, invalid, invalidError } from '@pintle/machinery/errors';
import type { FieldPath, ReplicasPaths } from '@pintle/machinery/fields';
import { dns1123SubdomainName, validateObjectMeta } from '@pintle/machinery/names';
import type { Column, Printer, ResourceRules } from '@pintle/machinery/rules';
import type { LabelSelector } from '@pintle/machinery/selectors';
import { compileLabelSelector, matchLabelsSelector } from '@pintle/machinery/selectors';
import { formatAge } from '@pintle/machinery/time';
import { builtinReader } from '../builtin-kinds/builtin-reader.ts';
import type { Endpoints, RequestContext } from '../resource/endpoint.ts';
import type { ScaleView, ServedResource } from '../resource/served-resource.ts';
import { groupResourceOf } from '../resource/served-resource.ts';
import { storedEndpoints } from './stored-endpoints.ts';

/** The fields of `autoscaling/v1 Scale` that are used here. */
export interface Scale extends KubernetesObject {
  spec?: { replicas?: number };
  status?: { replicas: number; selector?: string };
}

type Scaled = KubernetesObject & {
  spec?: { replicas?: number; selector?: LabelSelector | Record<string, string> };
  status?: { replicas?: number };
};

/** `scale` of the built-in workloads. */
export const scaleEndpoints: Endpoints = {
  get: (context) => storedEndpoints.get(asScale(context)),
  update: (context) => storedEndpoints.update(asScale(context)),
  patch: (context) => storedEndpoints.patch(asScale(context)),
};

const REPLICAS: FieldPath = [{ field: 'spec' }, { field: 'replicas' }];

const scaleResources = new WeakMap<ServedResource, ServedResource>();

function asScale(context: RequestContext): RequestContext {
  let resource = scaleResources.get(context.resource);
  if (resource === undefined) {
    const replicasPaths: ReplicasPaths = new Map([[context.resource.type.apiVersion, REPLICAS]]);
    const { resource: parent } = context;
    const scaleView = { parent, project: projectScale, mergeInto: mergeIntoParent(parent), replicasPaths };
    resource = scaleResource(parent, scaleView);
    scaleResources.set(context.resource, resource);
  }
  return { ...context, resource };
}

/** Returns a resource that serves the objects of `parent` as Scales. Errors name the parent. */
export function scaleResource(parent: ServedResource, scaleView: ScaleView): ServedResource {
  const { allocator: _allocator, ...rest } = parent;
  return {
    ...rest,
    type: { ...parent.type, version: 'v1', kind: 'Scale', apiVersion: 'autoscaling/v1' },
    rules: (parent.isCustom ? customScaleRules : scaleRules) as ResourceRules,
    reader: builtinReader({ group: 'autoscaling', version: 'v1', kind: 'Scale' }),
    fieldSchema: () => schemaOf({ group: 'autoscaling', version: 'v1', kind: 'Scale' }),
    isCustom: false,
    scaleView,
  };
}

const scaleRules: ResourceRules<Scale> = { printer: scalePrinter({ name: 'Name', type: 'string' }, 'string', 0) };

/** The same columns for custom resources: an absent value stays absent, instead of 0. */
const customScaleRules: ResourceRules<Scale> = {
  printer: scalePrinter({ name: 'Name', type: 'string', format: 'name' }, 'date', null),
};

function scalePrinter(nameColumn: Column, ageType: Column['type'], unset: 0 | null): Printer<Scale> {
  return {
    columns: [
      nameColumn,
      { name: 'Desired', type: 'integer' },
      { name: 'Available', type: 'integer' },
      { name: 'Age', type: ageType },
    ],
    row: ({ metadata, spec, status }, { nowMs }) => [
      metadata.name ?? '',
      spec?.replicas || unset,
      status?.replicas ?? 0,
      formatAge(metadata.creationTimestamp, nowMs),
    ],
  };
}

function projectScale(object: Scaled): Scale {
  const { spec = {}, status = {} } = object;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: scaleMetadata(object),
    spec: spec.replicas ? { replicas: spec.replicas } : {},
    status: { replicas: status.replicas ?? 0, ...selectorOf(spec.selector) },
  };
}

export function scaleMetadata({ metadata }: KubernetesObject): KubernetesObject['metadata'] {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return JSON.parse(JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp }));
}

/** Returns the selector as text. That of a ReplicationController is a plain map of labels. */
function selectorOf(selector: LabelSelector | Record<string, string> | undefined): { selector?: string } {
  if (selector === undefined) return {};
  const isPlain = Object.values(selector).every((value) => typeof value === 'string');
  const text = isPlain
    ? matchLabelsSelector(selector as Record<string, string>).toString()
    : compileLabelSelector(selector as LabelSelector).toString();
  return text === '' ? {} : { selector: text };
}

function mergeIntoParent(resource: ServedResource): (scale: Scale, object: Scaled) => Scaled {
  return (scale, object) => {
    checkScale(scale);
    checkUid(resource, scale, object);
    return mergeScale(scale, object);
  };
}

/** Throws 409 for another uid, as Kubernetes does for scales; other resources report it as invalid. */
function checkUid(resource: ServedResource, { metadata }: Scale, { metadata: found }: Scaled): void {
  if (!metadata.uid || metadata.uid === found.uid) return;
  const { group, resource: plural } = groupResourceOf(resource);
  const why = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${found.uid ?? ''}`;
  throw conflictError({ group, resource: `${plural}/scale` }, metadata.name ?? '', why);
}

function mergeScale(scale: Scale, object: Scaled): Scaled {
  const { resourceVersion } = scale.metadata;
  return {
    ...object,
    metadata: { ...object.metadata, ...(resourceVersion && { resourceVersion }) },
    spec: { ...object.spec, replicas: scale.spec?.replicas ?? 0 },
  };
}

/** Throws 422 when the metadata or replicas of a Scale are invalid. */
export function checkScale({ metadata, spec }: Scale): void {
  const scope = metadata.namespace ? 'Namespaced' : 'Cluster';
  const replicas = spec?.replicas ?? 0;
  const errors = [
    ...validateObjectMeta(metadata, { scope, nameRule: dns1123SubdomainName }),
    ...(replicas < 0 ? [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')] : []),
  ];
  if (errors.length > 0) throw invalidError({ group: 'autoscaling', kind: 'Scale' }, metadata.name ?? '', errors);
}
