import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { DefinedResource } from '../resource/define-resource.ts';
import { shapeProblems } from '../resource/shape-problems.ts';

/**
 * Returns a check that an object of a defined resource, in any version, has the fields and types of its schema. Always true
 * for other kinds, because the server has decoded them.
 */
export function shapeChecker(type: ResourceType): (object: KubernetesObject) => boolean {
  const { definition } = type as Partial<DefinedResource>;
  return ({ apiVersion, ...object }) => {
    const version = definition?.spec.versions.find(({ name }) => `${type.group}/${name}` === apiVersion);
    const schema = version?.schema?.openAPIV3Schema;
    return schema === undefined || shapeProblems(schema, { apiVersion, ...object }).length === 0;
  };
}
