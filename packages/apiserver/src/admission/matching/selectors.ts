import type { KubernetesObject } from '@pintle/machinery';
import { notFoundError } from '@pintle/machinery/errors';
import type { CompiledLabelSelector, Labels } from '@pintle/machinery/selectors';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import { findObject } from '../../storage/object-store.ts';
import { isNamespaces, namespaceOf } from './subject-names.ts';

/** True when the old or the new object has the labels. */
export function objectMatches(selector: CompiledLabelSelector, { object, oldObject }: AdmissionRequest): boolean {
  if (selector.isEmpty) return true;
  return hasLabels(selector, object) || hasLabels(selector, oldObject);
}

function hasLabels(selector: CompiledLabelSelector, object: KubernetesObject | undefined): boolean {
  // The options of a CONNECT have no metadata.
  return object?.metadata !== undefined && selector.matches(object.metadata.labels);
}

/** Labels of the namespace of a request, read once when they are first needed. */
export class NamespaceLabels {
  readonly #request: AdmissionRequest;
  #labels: Promise<Labels> | undefined;

  constructor(request: AdmissionRequest) {
    this.#request = request;
  }

  /** True for every selector when the request has no namespace. Rejects with 404 when the namespace does not exist. */
  async match(selector: CompiledLabelSelector): Promise<boolean> {
    const namespace = namespaceOf(this.#request);
    if (selector.isEmpty || (namespace === '' && !isNamespaces(this.#request))) return true;
    this.#labels ??= this.#read(namespace);
    return selector.matches(await this.#labels);
  }

  async #read(name: string): Promise<Labels> {
    const { context, operation, object } = this.#request;
    const isWrite = operation === 'CREATE' || operation === 'UPDATE';
    if (isNamespaces(this.#request) && context.info.subresource === '' && isWrite) return object?.metadata.labels ?? {};
    const resource = (await context.resources.find({ group: '', version: 'v1', resource: 'namespaces' }))!;
    const found = await findObject(context.store, resource, '', name);
    if (found === undefined) throw notFoundError({ group: '', resource: 'namespaces' }, name);
    return found.object.metadata.labels ?? {};
  }
}
