import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import type { Labels, ShardField, ShardHash } from '@pintle/machinery/selectors';
import { SHARD_FIELDS, shardHash, shardValue } from '@pintle/machinery/selectors';
import type { StoreRecord, Summarizer, Summary } from '@pintle/store';
import type { ServedResource } from '../../resource/served-resource.ts';
import { decodeMetadata } from '../../storage/object-codec.ts';
import { isReadAtOnce, toObject } from '../../storage/object-store.ts';

/** The parts of an object that selectors match, without its name and namespace, which are in its key. */
export interface ObjectSummary extends Summary {
  readonly labels: Labels;
  readonly fields: Fields;
  /** Hashes by which shards are selected, once the resource is read by shards. */
  readonly hashes?: ShardHashes;
  /** The object has to be converted before its labels and fields are known. */
  readonly isUnknown?: boolean;
}

type Fields = Readonly<Record<string, string>>;
type ShardHashes = Readonly<Record<ShardField, ShardHash>>;

/** Larger summaries are not cached, so that the cache of many objects stays small. */
const MAX_KEPT_CHARACTERS = 2048;
/** Label sets that are shared: most objects of a resource have the same labels as others. */
const MAX_SHARED = 1000;
const NO_FIELDS: Fields = {};
const UNKNOWN: ObjectSummary = { by: undefined, labels: {}, fields: NO_FIELDS, isUnknown: true };

/**
 * Summarizes the objects of one version of a resource. Kinds without selectable fields share summaries. From the first read
 * of a shard on, summaries have hashes and are not shared; all reads of the resource then use them.
 */
export class ObjectSummarizer implements Summarizer<ObjectSummary> {
  readonly #resource: ServedResource;
  readonly #shared = new Map<string, ObjectSummary>();

  readonly #isSharded: boolean;

  private constructor(resource: ServedResource, isSharded: boolean) {
    this.#resource = resource;
    this.#isSharded = isSharded;
  }

  /** Returns the summarizer of a resource; with `isSharded`, one with hashes. */
  static of(resource: ServedResource, { isSharded = false }: { readonly isSharded?: boolean } = {}): ObjectSummarizer {
    let summarizer = summarizers.get(resource);
    if (summarizer === undefined || (isSharded && !summarizer.#isSharded)) {
      summarizer = new ObjectSummarizer(resource, isSharded);
      summarizers.set(resource, summarizer);
    }
    return summarizer;
  }

  summarize(record: StoreRecord): ObjectSummary {
    const resource = this.#resource;
    if (!isReadAtOnce(resource, record)) return UNKNOWN;
    const { selectableFields } = resource.rules;
    if (selectableFields === undefined) {
      const metadata = decodeMetadata(record);
      const shared = this.#share(metadata.labels ?? {});
      return this.#isSharded ? { ...shared, hashes: hashesOf(metadata) } : shared;
    }
    const object = toObject(resource, record);
    const fields = selectableFields.call(resource.rules, object);
    const summary = this.#summary(object.metadata.labels ?? {}, fields);
    return this.#isSharded ? { ...summary, hashes: hashesOf(object.metadata) } : summary;
  }

  #share(labels: Labels): ObjectSummary {
    const text = JSON.stringify(labels);
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    const summary = this.#summary(labels, NO_FIELDS);
    if (summary.by === undefined) return summary;
    if (this.#shared.size >= MAX_SHARED) this.#shared.clear();
    this.#shared.set(text, summary);
    return summary;
  }

  #summary(labels: Labels, fields: Fields): ObjectSummary {
    const isSmall = charactersOf(labels) + charactersOf(fields) <= MAX_KEPT_CHARACTERS;
    return { by: isSmall ? this : undefined, labels, fields };
  }
}

const summarizers = new WeakMap<ServedResource, ObjectSummarizer>();

export function summaryOfObject({ rules }: ServedResource, object: KubernetesObject): ObjectSummary {
  return { by: undefined, labels: object.metadata.labels ?? {}, fields: rules.selectableFields?.(object) ?? NO_FIELDS };
}

/** Equal hashes are one object: most objects have no owner, and namespaces repeat. */
function hashesOf(metadata: ObjectMeta): ShardHashes {
  const known = new Map<string, ShardHash>();
  const hash = (field: ShardField): readonly [ShardField, ShardHash] => {
    const value = shardValue(metadata, field);
    const found = known.get(value) ?? shardHash(value);
    known.set(value, found);
    return [field, found];
  };
  return Object.fromEntries(SHARD_FIELDS.map(hash)) as Record<ShardField, ShardHash>;
}

function charactersOf(values: Readonly<Record<string, string>>): number {
  let characters = 0;
  for (const name in values) characters += name.length + (values[name]?.length ?? 0);
  return characters;
}
