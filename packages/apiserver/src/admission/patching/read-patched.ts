import type { GroupVersionKind, KubernetesObject } from '@pintle/machinery';
import { internalError, invalid, invalidError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { isJsonObject, stringifyJson } from '@pintle/machinery/json';
import { builtinReader } from '../../builtin-kinds/builtin-reader.ts';
import { otherType } from '../../compat/other-type.ts';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { asObject } from '../../resource/served-resource.ts';
import { versionNamed } from '../../resource/version-named.ts';
import type { RequestView } from '../matching/request-view.ts';

/** Reads objects of one kind: that of the resource, or another one that is sent to it. */
export type KindReader = Pick<ServedResource, 'reader' | 'type'> &
  Partial<Pick<ServedResource, 'rules' | 'isCustom' | 'fieldSchema'>>;

export async function servedAs({ context }: AdmissionRequest, { kind, resource }: RequestView): Promise<KindReader> {
  const { type } = context.resource;
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  if (type.kind === kind.kind && type.apiVersion === apiVersion) return context.resource;
  const served = await context.resources.find(resource);
  if (served?.type.kind === kind.kind && served.type.apiVersion === apiVersion) return served;
  return { type: { ...type, ...kind, apiVersion }, reader: builtinReader(kind) };
}

/** Returns how a patched document is read: by the version it claims, where that is another one of the same resource. */
export async function claimedBy(
  { context }: AdmissionRequest,
  served: KindReader,
  document: JsonObject,
): Promise<KindReader> {
  return ('storage' in served && (await versionNamed(context, served as ServedResource, document))) || served;
}

/**
 * Reads a patched document as if a client had sent it. Throws when it is no longer an object of that kind; throws the
 * error of `refuseOther` when it is of another known kind.
 */
export function readPatched(
  served: KindReader,
  { group, kind }: GroupVersionKind,
  document: JsonObject,
  refuseOther: (problem: string) => Error,
): KubernetesObject {
  const { apiVersion = '', kind: claimed = '' } = document;
  if (served.isCustom) {
    if (typeof claimed !== 'string' || claimed === '') {
      throw internalError(`Object 'Kind' is missing in '${stringifyJson(document)}'`);
    }
    if (claimed !== kind) throw otherKind(group, claimed, kind, document);
  } else {
    const other = otherType(
      served as ServedResource,
      String(apiVersion || served.type.apiVersion),
      String(claimed || kind),
    );
    if (other !== undefined) throw other.isKnown ? refuseOther(other.problem) : internalError(other.problem);
  }
  try {
    const object = asObject(served.reader.read(document).value, served as ServedResource);
    // A patch may set another version of a custom resource; the object is then converted from that.
    return served.isCustom ? { ...object, apiVersion: String(apiVersion) } : object;
  } catch (error) {
    throw internalError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function otherKind(group: string, claimed: string, kind: string, { metadata }: JsonObject): Error {
  const name = isJsonObject(metadata ?? null) ? (metadata as JsonObject).name : '';
  return invalidError({ group, kind: claimed }, typeof name === 'string' ? name : '', [
    invalid('kind', claimed, `must be ${kind}`),
  ]);
}
