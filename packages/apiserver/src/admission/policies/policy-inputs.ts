import type { Value } from '@pintle/cel';
import { authorizerValue, dynamicValue, requestResourceValue } from '@pintle/cel';
import type { KubernetesObject } from '@pintle/machinery';
import { notFoundError } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import { findObject } from '../../storage/object-store.ts';
import type { AuthorizerChecks } from '../matching/authorizer-checks.ts';
import type { RequestView } from '../matching/request-view.ts';
import { describeRequest } from '../matching/request-view.ts';
import { isNamespaces, nameOf, namespaceOf } from '../matching/subject-names.ts';

/** CEL variables of a request for policies. Values that all policies share are computed once. */
export class PolicyInputs {
  readonly #request: AdmissionRequest;
  readonly #authorizer: Readonly<Record<string, Value>>;
  #namespace: Promise<KubernetesObject | undefined> | undefined;

  constructor(request: AdmissionRequest, { ask }: AuthorizerChecks) {
    this.#request = request;
    const { group, resource, subresource } = request.context.info;
    const target = { group, resource, subresource, namespace: namespaceOf(request), name: nameOf(request) };
    this.#authorizer = {
      authorizer: authorizerValue(ask),
      'authorizer.requestResource': requestResourceValue(ask, target),
    };
  }

  /** Rejects with 404 when the namespace of the request does not exist. */
  async with(view: RequestView, params: KubernetesObject | undefined): Promise<Readonly<Record<string, Value>>> {
    this.#namespace ??= this.#findNamespace();
    return {
      ...this.#authorizer,
      object: celValue(view.object),
      oldObject: celValue(view.oldObject),
      request: dynamicValue(describeRequest(this.#request, view)),
      params: celValue(params),
      namespaceObject: celValue(visiblePart(await this.#namespace)),
    };
  }

  /** Returns `undefined` for cluster-scoped objects, Namespaces included. */
  async #findNamespace(): Promise<KubernetesObject | undefined> {
    const { context, namespace } = this.#request;
    if (isNamespaces(this.#request) || namespace === '') return undefined;
    const resource = (await context.resources.find({ group: '', version: 'v1', resource: 'namespaces' }))!;
    const found = await findObject(context.store, resource, '', namespace);
    if (found === undefined) throw notFoundError({ group: '', resource: 'namespaces' }, namespace);
    return found.object;
  }
}

function celValue(object: object | undefined): Value {
  return dynamicValue((object ?? null) as JsonValue);
}

/** Returns the fields of the namespace that policies see: not its owners and managedFields. */
function visiblePart(namespace: KubernetesObject | undefined): object | undefined {
  if (namespace === undefined) return undefined;
  const { apiVersion, kind, metadata, ...rest } = namespace;
  const { ownerReferences, managedFields, selfLink, ...visible } = metadata;
  return { ...rest, metadata: visible };
}
