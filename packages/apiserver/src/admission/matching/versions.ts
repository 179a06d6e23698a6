import type { GroupVersionResource, KubernetesObject } from '@pintle/machinery';
import { formatGroupVersion, toKubernetesObject } from '@pintle/machinery';
import { internalError, StatusError, unclassifiedError } from '@pintle/machinery/errors';
import { asJson, deepCopy } from '@pintle/machinery/json';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { convertBetween } from '../../resource/served-resource.ts';
import type { RequestView } from './request-view.ts';
import { resourceOf } from './subject-names.ts';

/**
 * Converts the objects of a request to the versions that webhooks and policies match. Each version is made once, and
 * again when the object has changed.
 */
export class RequestVersions {
  readonly #request: AdmissionRequest;
  readonly #views = new Map<string, { readonly of: KubernetesObject | undefined; readonly view: RequestView }>();

  constructor(request: AdmissionRequest) {
    this.#request = request;
  }

  /** Returns the request in a version of its resource. Rejects when it cannot be converted. */
  async as(resource: GroupVersionResource): Promise<RequestView> {
    const key = formatGroupVersion(resource);
    const known = this.#views.get(key);
    if (known !== undefined && known.of === this.#request.object) return known.view;
    const view = await this.#make(resource);
    this.#views.set(key, { of: this.#request.object, view });
    return view;
  }

  /** Converts an object of the version that `as` returned to the version of the request. */
  async back(object: KubernetesObject): Promise<KubernetesObject> {
    const { resource } = this.#request.context;
    return isOwnKind(this.#request) ? await inVersionOf(this.#request, object, resource) : object;
  }

  async #make(resource: GroupVersionResource): Promise<RequestView> {
    const { kind, object, oldObject, context } = this.#request;
    // A Scale has one version, whatever its parent.
    if (isSame(resource, resourceOf(this.#request)) || !isOwnKind(this.#request))
      return { kind, resource, object, oldObject };
    const served = await context.resources.find(resource);
    if (served === undefined) throw internalError(`unable to convert to ${describe(resource)}: unknown kind`);
    const convert = async (one: KubernetesObject | undefined) =>
      one && (await orInternalError(inVersionOf(this.#request, deepCopy(one), served)));
    return {
      kind: { ...resource, kind: served.type.kind },
      resource,
      object: await convert(object),
      oldObject: await convert(oldObject),
    };
  }
}

/**
 * Turns any failure of a conversion into an internal error: the object cannot be shown to a webhook that must see it.
 */
async function orInternalError<T>(conversion: Promise<T>): Promise<T> {
  try {
    return await conversion;
  } catch (error) {
    throw error instanceof StatusError ? internalError(error.message, { cause: error }) : error;
  }
}

/** True when the object is of the resource's own kind, not a Scale, Binding or Eviction. */
function isOwnKind({ kind, context: { resource, info } }: AdmissionRequest): boolean {
  return resource.scaleView === undefined && kind.group === info.group && kind.kind === resource.type.kind;
}

function isSame(left: GroupVersionResource, right: GroupVersionResource): boolean {
  return left.group === right.group && left.version === right.version;
}

function describe({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}, Resource=${resource}`;
}

async function inVersionOf(
  { context }: AdmissionRequest,
  object: KubernetesObject,
  served: ServedResource,
): Promise<KubernetesObject> {
  const { apiVersion } = served.type;
  if (object.apiVersion === apiVersion) return object;
  const from = context.resources.namesOf({ ...served.type, resource: served.type.plural });
  const origin = from.find((name) => formatGroupVersion(name) === object.apiVersion);
  if (origin === undefined) throw unsuitable(object, apiVersion);
  if (served.codec !== undefined)
    return (await served.codec.fromStorage([{ object, tag: '' }], { isUnwritten: true }))[0]!;
  const source = (await context.resources.find(origin))!;
  return toKubernetesObject(convertBetween(source, served, asJson(object)));
}

function unsuitable({ apiVersion = '', kind }: KubernetesObject, wanted: string): Error {
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  const what = `${version}, Kind=${kind}`;
  return unclassifiedError(
    500,
    `${what} is unstructured and is not suitable for converting to ${JSON.stringify(wanted)}`,
  );
}
