import type { JSONSchemaProps } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import type { DefinedResource } from '../resource/define-resource.ts';

/** Tells whether an object has the fields and types that its kind's type promises. */
export type ShapeCheck = (object: KubernetesObject) => boolean;

/** Returns the check of a defined resource. Objects of other kinds have their shape: the server has decoded them. */
export function shapeOf(type: ResourceType): ShapeCheck {
  const { definition } = type as Partial<DefinedResource>;
  const version = definition?.spec.versions.find(({ name }) => name === type.version);
  const schema = version?.schema?.openAPIV3Schema;
  return schema === undefined ? () => true : (object) => hasShape(schema, object);
}

/** Looks at what is required and at types only: values are for the server to judge. */
function hasShape(schema: JSONSchemaProps, value: unknown): boolean {
  if (value === null) return schema.nullable === true;
  if (Array.isArray(value)) {
    const items = [schema.items ?? {}].flat();
    return isType(schema, 'array') && value.every((item) => items.every((each) => hasShape(each, item)));
  }
  if (typeof value === 'object') return isType(schema, 'object') && hasFields(schema, value as Record<string, unknown>);
  if (schema['x-kubernetes-int-or-string'] === true) return typeof value === 'string' || typeof value === 'number';
  return typeof value === 'number' ? isType(schema, 'number', 'integer') : isType(schema, typeof value);
}

function hasFields({ required = [], properties = {} }: JSONSchemaProps, value: Record<string, unknown>): boolean {
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(properties).every(([name, each]) => !Object.hasOwn(value, name) || hasShape(each, value[name]));
}

function isType({ type }: JSONSchemaProps, ...types: readonly string[]): boolean {
  return type === undefined || types.includes(type);
}
