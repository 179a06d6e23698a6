import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { DefinedResource } from '../resource/define-resource.ts';
import { shapeProblems } from '../resource/shape-problems.ts';

/**
 * Returns a check whether an object of a defined resource, in any version, has the fields and types that its type
 * promises. Objects of other kinds have their shape: the server has decoded them.
 */
export function shapeOf(type: ResourceType): (object: KubernetesObject) => boolean {
  const { definition } = type as Partial<DefinedResource>;
  return ({ apiVersion, ...object }) => {
    const version = definition?.spec.versions.find(({ name }) => `${type.group}/${name}` === apiVersion);
    const schema = version?.schema?.openAPIV3Schema;
    return schema === undefined || shapeProblems(schema, { apiVersion, ...object }).length === 0;
  };
}
