import type { ResourceType } from '@pintle/machinery';

/** Which object. Cluster-scoped ones have no namespace. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** `/apis/apps/v1/namespaces/default/deployments/web/status`. Every part is encoded, so no name can leave its place. */
export function resourcePath(
  type: ResourceType,
  { namespace, name, subresource }: { namespace?: string | undefined; name?: string; subresource?: string } = {},
): string {
  const root =
    type.group === '' ? `/api/${segment(type.version)}` : `/apis/${segment(type.group)}/${segment(type.version)}`;
  const scoped = namespace && type.scope === 'Namespaced' ? `${root}/namespaces/${segment(namespace)}` : root;
  let path = `${scoped}/${segment(type.plural)}`;
  if (name !== undefined) path += `/${segment(name)}`;
  if (subresource !== undefined) path += `/${subresource.split('/').map(segment).join('/')}`;
  return path;
}

function segment(text: string): string {
  if (text === '' || text === '.' || text === '..')
    throw new TypeError(`Cannot make a path of ${JSON.stringify(text)}`);
  return encodeURIComponent(text);
}
