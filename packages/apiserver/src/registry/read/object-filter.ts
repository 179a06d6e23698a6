import type { KubernetesObject } from '@pintle/machinery';
import { badRequestError } from '@pintle/machinery/errors';
import type { CompiledFieldSelector, CompiledLabelSelector, ShardSelector } from '@pintle/machinery/selectors';
import { parseFieldSelector } from '@pintle/machinery/selectors';
import type { KeyRange, RecordSelection } from '@pintle/store';
import { keyAfter } from '@pintle/store';
import type { ServedResource } from '../../resource/served-resource.ts';
import { collectionRange, nameInKey, namesInKey, objectKey } from '../../storage/keys.ts';
import type { ListOptions } from './list-options.ts';
import type { ObjectSummary } from './object-summary.ts';
import { ObjectSummarizer, summaryOfObject } from './object-summary.ts';

/** Decides which objects a list or watch returns. */
export class ObjectFilter {
  readonly #resource: ServedResource;
  readonly #labels: CompiledLabelSelector | undefined;
  /** Part of the objects that pass. Default: all. */
  readonly shard: ShardSelector | undefined;
  /** Field selector on names and namespaces, which are part of keys. */
  readonly #names: CompiledFieldSelector | undefined;
  readonly #fields: CompiledFieldSelector | undefined;
  /** Suffix of every key that passes. */
  readonly #keyEnd: string | undefined;

  /** Throws 400 for selectors that cannot be read and for fields that the kind does not offer. */
  constructor(
    resource: ServedResource,
    options: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
    shard?: ShardSelector,
  ) {
    this.#resource = resource;
    this.#labels = options.labelSelector;
    this.shard = shard;
    if (options.fieldSelector === '') return;
    const fields = readFieldSelector(resource, options.fieldSelector);
    this.#names = partOf(fields, isNameField);
    this.#fields = partOf(fields, (field) => !isNameField(field));
    if (this.name !== undefined) this.#keyEnd = nameInKey(this.name);
  }

  /** True when every object of the resource passes: no object has to be looked at. */
  get isEverything(): boolean {
    return this.#names === undefined && !this.#looksAtValues;
  }

  /** The only name that passes, when the selector has `metadata.name=x`. */
  get name(): string | undefined {
    return this.#names?.exactValue('metadata.name');
  }

  /** True when at most one object of `namespace` can pass; '' means all namespaces. */
  isOfOneObject(namespace: string): boolean {
    return this.name !== undefined && (this.#resource.type.scope === 'Cluster' || this.#within(namespace) !== '');
  }

  /** Returns the smallest range of keys that has every object of `namespace` that passes; '' means all namespaces. */
  rangeIn(namespace: string): KeyRange {
    const { storage } = this.#resource;
    const within = this.#within(namespace);
    const name = this.isOfOneObject(namespace) ? this.name : undefined;
    try {
      if (name === undefined) return collectionRange(storage, within);
      const key = objectKey(storage, within, name);
      return { start: key, end: keyAfter(key) };
    } catch (error) {
      // No object has such a name or namespace; the selection finds none.
      if (error instanceof RangeError) return collectionRange(storage, namespace);
      throw error;
    }
  }

  /**
   * Selects the records that pass, and those that have to be converted before `matches` can decide. `undefined` when
   * everything passes.
   */
  get selection(): RecordSelection | undefined {
    if (this.isEverything) return undefined;
    return {
      ...(this.#names !== undefined && { hasKey: (key) => this.#hasKey(key) }),
      ...(this.#looksAtValues && {
        values: {
          summarizer: ObjectSummarizer.of(this.#resource, { isSharded: this.shard !== undefined }),
          matches: (summary: ObjectSummary) => summary.isUnknown === true || this.#matchesSummary(summary),
        },
      }),
    };
  }

  matches(object: KubernetesObject): boolean {
    const { name = '', namespace = '' } = object.metadata;
    if (this.shard !== undefined && !this.shard.matches(object.metadata)) return false;
    return this.#matchesNames(name, namespace) && this.#matchesValues(summaryOfObject(this.#resource, object));
  }

  /** Like `matches`, for a record that can be read at once. Calls `summarize` only when the value is needed. */
  matchesRecord(key: string, summarize: () => ObjectSummary): boolean {
    if (this.#names !== undefined && !this.#hasKey(key)) return false;
    return !this.#looksAtValues || this.#matchesSummary(summarize());
  }

  /** The only namespace whose objects can pass; '' for all. */
  #within(namespace: string): string {
    return namespace === '' ? (this.#names?.exactValue('metadata.namespace') ?? '') : namespace;
  }

  get #looksAtValues(): boolean {
    return this.#labels !== undefined || this.#fields !== undefined || this.shard !== undefined;
  }

  #hasKey(key: string): boolean {
    // Most keys are ruled out by their suffix.
    if (this.#keyEnd !== undefined && !key.endsWith(this.#keyEnd)) return false;
    const { name, namespace } = namesInKey(key, this.#resource.type.scope);
    return this.#matchesNames(name, namespace);
  }

  #matchesNames(name: string, namespace: string): boolean {
    return this.#names === undefined || this.#names.matches(nameFields(this.#resource, name, namespace));
  }

  #matchesSummary(summary: ObjectSummary): boolean {
    if (this.shard !== undefined && !isInShard(this.shard, summary)) return false;
    return this.#matchesValues(summary);
  }

  #matchesValues({ labels, fields }: ObjectSummary): boolean {
    if (this.#labels !== undefined && !this.#labels.matches(labels)) return false;
    return this.#fields === undefined || this.#fields.matches(fields);
  }
}

/** Requires a summary with hashes. */
function isInShard(shard: ShardSelector, { hashes }: ObjectSummary): boolean {
  return hashes !== undefined && shard.hasHash(hashes[shard.field]);
}

function isNameField(field: string): boolean {
  return field === 'metadata.name' || field === 'metadata.namespace';
}

function partOf(
  selector: CompiledFieldSelector,
  isIncluded: (field: string) => boolean,
): CompiledFieldSelector | undefined {
  const part = selector.map((requirement) => (isIncluded(requirement.field) ? requirement : undefined));
  return part.isEmpty ? undefined : part;
}

function nameFields(resource: ServedResource, name: string, namespace: string): Readonly<Record<string, string>> {
  return { 'metadata.name': name, ...(hasNamespaceField(resource) && { 'metadata.namespace': namespace }) };
}

/** True when the kind can be selected by `metadata.namespace`: cluster-scoped kinds with their own fields cannot. */
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
  const offered = { ...resource.rules.selectableFields?.(blank), ...nameFields(resource, '', '') };
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
