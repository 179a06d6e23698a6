import type { NewObject } from '@pintle/client';
import { ownerReference } from '@pintle/client';
import type { KubernetesObject, OwnerReference } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { ExploreOptions } from '../model/options.ts';

/** Custom resource of all specimens: a cluster of some database. */
export interface Cluster extends KubernetesObject {
  spec: {
    readonly replicas?: number;
    readonly monitoring?: boolean;
    readonly size?: number;
    readonly users?: Readonly<Record<string, string>>;
  };
  status?: {
    readonly replicas?: number;
    readonly size?: number;
    readonly phase?: string;
    readonly secret?: string;
    readonly members?: readonly string[];
  };
}

export const Cluster = resourceType<Cluster>({
  group: 'specimens.pintle.dev',
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  scope: 'Namespaced',
});

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const clusterDefinition: KubernetesObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${Cluster.plural}.${Cluster.group}` },
  spec: {
    group: Cluster.group,
    scope: Cluster.scope,
    names: { kind: Cluster.kind, plural: Cluster.plural, singular: Cluster.singular, listKind: Cluster.listKind },
    versions: [
      {
        name: Cluster.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
      },
    ],
  },
} as KubernetesObject;

export const db = { namespace: 'default', name: 'db' };

export function cluster(spec: Cluster['spec']): NewObject<Cluster> {
  return { metadata: db, spec };
}

/** Returns the metadata of a child, with its owner. */
export function childOf(owner: Cluster, name: string): { metadata: NewMetadata } {
  const { namespace = '' } = owner.metadata;
  return { metadata: { namespace, name, ownerReferences: [{ ...ownerReference(Cluster, owner), controller: true }] } };
}

interface NewMetadata {
  readonly namespace: string;
  readonly name: string;
  readonly ownerReferences?: OwnerReference[];
}

/** An operator with a known mistake, and the same operator without it. */
export interface Specimen {
  readonly name: string;
  /** Family of the mistake, as public studies of operators name them. */
  readonly family: 'L' | 'S1' | 'S2' | 'S3' | 'S4' | 'I1' | 'I2' | 'U1' | 'X' | 'A';
  readonly broken: ExploreOptions;
  readonly mended: ExploreOptions;
}

type SpecimenOptions = Pick<ExploreOptions, 'scenario'> &
  Partial<Pick<ExploreOptions, 'controllers' | 'nodes' | 'manager' | 'objects'>>;

/** Returns a specimen from one function, which adds the broken operator or the mended one. */
export function specimen(
  name: string,
  family: Specimen['family'],
  options: SpecimenOptions,
  add: (isMended: boolean) => NonNullable<ExploreOptions['operator']>,
): Specimen {
  const common = { crds: [clusterDefinition], ...options };
  return {
    name,
    family,
    broken: { ...common, operator: add(false) },
    mended: { ...common, operator: add(true) },
  };
}
