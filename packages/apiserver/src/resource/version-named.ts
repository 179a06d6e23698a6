import { formatGroupVersion } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { RequestContext } from './endpoint.ts';
import type { ServedResource } from './served-resource.ts';

/**
 * Returns the other version of a built-in resource that a document claims: an autoscaler of `autoscaling/v2` sent to
 * version 1, or an event of `events.k8s.io`. `undefined` when it claims the resource's own version, or none.
 */
export async function versionNamed(
  { resources }: Pick<RequestContext, 'resources'>,
  { type, isCustom, scaleView }: ServedResource,
  { apiVersion, kind }: JsonObject,
): Promise<ServedResource | undefined> {
  if (isCustom || scaleView !== undefined || apiVersion === type.apiVersion || (kind || type.kind) !== type.kind) {
    return undefined;
  }
  const names = resources.namesOf({ ...type, resource: type.plural });
  const name = names.find((candidate) => formatGroupVersion(candidate) === apiVersion);
  return name && (await resources.find(name));
}
