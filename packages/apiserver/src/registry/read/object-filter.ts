import type { KubernetesObject } from '@pintle/machinery';
import { badRequestError } from '@pintle/machinery/errors';
import type { CompiledFieldSelector, CompiledLabelSelector } from '@pintle/machinery/selectors';
import { parseFieldSelector } from '@pintle/machinery/selectors';
import type { ServedResource } from '../../resource/served-resource.ts';
import type { ListOptions } from './list-options.ts';

/** Which objects a list or watch is about. */
export class ObjectFilter {
  readonly #labels: CompiledLabelSelector | undefined;
  readonly #fields: CompiledFieldSelector | undefined;
  readonly #resource: ServedResource;

  /** Throws 400 for selectors that cannot be read and for fields that the kind does not offer. */
  constructor(resource: ServedResource, options: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>) {
    this.#resource = resource;
    this.#labels = options.labelSelector;
    this.#fields = options.fieldSelector === '' ? undefined : readFieldSelector(resource, options.fieldSelector);
  }

  /** True when every object of the resource passes: nobody has to look inside. */
  get isEverything(): boolean {
    return this.#labels === undefined && this.#fields === undefined;
  }

  /** The one name this filter can match, if it says `metadata.name=x`. */
  get name(): string | undefined {
    return this.#fields?.exactValue('metadata.name');
  }

  matches(object: KubernetesObject): boolean {
    if (this.#labels !== undefined && !this.#labels.matches(object.metadata.labels ?? {})) return false;
    return this.#fields === undefined || this.#fields.matches(fieldsOf(this.#resource, object));
  }
}

function fieldsOf(resource: ServedResource, object: KubernetesObject): Readonly<Record<string, string>> {
  const { name = '', namespace = '' } = object.metadata;
  return {
    ...resource.rules.selectableFields?.(object),
    'metadata.name': name,
    ...(hasNamespaceField(resource) && { 'metadata.namespace': namespace }),
  };
}

/** Cluster-scoped kinds that name their fields leave the namespace out; the others have it, always empty. */
function hasNamespaceField({ type, rules, isCustom }: ServedResource): boolean {
  return type.scope === 'Namespaced' || (rules.selectableFields === undefined && !isCustom);
}

function readFieldSelector(resource: ServedResource, text: string): CompiledFieldSelector {
  let selector: CompiledFieldSelector;
  try {
    selector = parseFieldSelector(text);
  } catch (error) {
    throw badRequestError(error instanceof Error ? error.message : String(error));
  }
  const blank = { apiVersion: resource.type.apiVersion, kind: resource.type.kind, metadata: {} };
  const offered = fieldsOf(resource, blank);
  const unknown = selector.requirements.find(({ field }) => !Object.hasOwn(offered, field));
  if (unknown === undefined) return selector;
  throw badRequestError(unsupported(resource, unknown.field));
}

function unsupported({ type, rules, isCustom }: ServedResource, field: string): string {
  if (rules.selectableFields === undefined && !isCustom) {
    return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  }
  return rules.unsupportedField?.(field, type) ?? `field label not supported: ${field}`;
}
