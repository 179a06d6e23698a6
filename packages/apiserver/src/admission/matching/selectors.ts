import type { KubernetesObject } from '@pintle/machinery';
import { notFoundError } from '@pintle/machinery/errors';
import type { CompiledLabelSelector, Labels } from '@pintle/machinery/selectors';
import type { AdmissionRequest } from '../../resource/admission-request.ts';
import { findObject } from '../../storage/object-store.ts';
import { isNamespaces, namespaceOf } from './subject-names.ts';

/** Looks at the object as it is and as it would be: one of them having the labels is enough. */
export function objectMatches(selector: CompiledLabelSelector, { object, oldObject }: AdmissionRequest): boolean {
  if (selector.isEmpty) return true;
  return hasLabels(selector, object) || hasLabels(selector, oldObject);
}

function hasLabels(selector: CompiledLabelSelector, object: KubernetesObject | undefined): boolean {
  // What is connected to is no object of its own and has no metadata.
  return object?.metadata !== undefined && selector.matches(object.metadata.labels);
}

/** The labels of the namespace that a request is about; they are looked up once, if anybody asks for them. */
export class NamespaceLabels {
  readonly #request: AdmissionRequest;
  #labels: Promise<Labels> | undefined;

  constructor(request: AdmissionRequest) {
    this.#request = request;
  }

  /** What lies in no namespace is matched by every selector. Rejects with 404 when there is no such namespace. */
  async match(selector: CompiledLabelSelector): Promise<boolean> {
    const namespace = namespaceOf(this.#request);
    if (selector.isEmpty || (namespace === '' && !isNamespaces(this.#request))) return true;
    this.#labels ??= this.#read(namespace);
    return selector.matches(await this.#labels);
  }

  async #read(name: string): Promise<Labels> {
    const { call, operation, object } = this.#request;
    const isWrite = operation === 'CREATE' || operation === 'UPDATE';
    if (isNamespaces(this.#request) && call.info.subresource === '' && isWrite) return object?.metadata.labels ?? {};
    const resource = (await call.resources.find({ group: '', version: 'v1', resource: 'namespaces' }))!;
    const found = await findObject(call.store, resource, '', name);
    if (found === undefined) throw notFoundError({ group: '', resource: 'namespaces' }, name);
    return found.object.metadata.labels ?? {};
  }
}
