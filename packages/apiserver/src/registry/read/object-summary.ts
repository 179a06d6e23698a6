import type { KubernetesObject } from '@pintle/machinery';
import type { Labels } from '@pintle/machinery/selectors';
import type { StoreRecord, Summarizer, Summary } from '@pintle/store';
import type { ServedResource } from '../../resource/served-resource.ts';
import { decodeMetadata } from '../../storage/object-codec.ts';
import { isReadAtOnce, toObject } from '../../storage/object-store.ts';

/** The parts of an object that selectors match, without its name and namespace, which are in its key. */
export interface ObjectSummary extends Summary {
  readonly labels: Labels;
  readonly fields: Fields;
  /** The object has to be converted before its labels and fields are known. */
  readonly isUnknown?: boolean;
}

type Fields = Readonly<Record<string, string>>;

/** Larger summaries are not cached, so that the cache of many objects stays small. */
const MAX_KEPT_CHARACTERS = 2048;
/** Label sets that are shared: most objects of a resource have the same labels as others. */
const MAX_SHARED = 1000;
const NO_FIELDS: Fields = {};
const UNKNOWN: ObjectSummary = { by: undefined, labels: {}, fields: NO_FIELDS, isUnknown: true };

/** Summarizes the objects of one version of a resource. Kinds without selectable fields share summaries. */
export class ObjectSummarizer implements Summarizer<ObjectSummary> {
  readonly #resource: ServedResource;
  readonly #shared = new Map<string, ObjectSummary>();

  private constructor(resource: ServedResource) {
    this.#resource = resource;
  }

  static of(resource: ServedResource): ObjectSummarizer {
    let summarizer = summarizers.get(resource);
    if (summarizer === undefined) {
      summarizer = new ObjectSummarizer(resource);
      summarizers.set(resource, summarizer);
    }
    return summarizer;
  }

  summarize(record: StoreRecord): ObjectSummary {
    const resource = this.#resource;
    if (!isReadAtOnce(resource, record)) return UNKNOWN;
    const { selectableFields } = resource.rules;
    if (selectableFields === undefined) return this.#share(decodeMetadata(record).labels ?? {});
    const object = toObject(resource, record);
    const fields = selectableFields.call(resource.rules, object);
    return this.#summary(object.metadata.labels ?? {}, fields);
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

function charactersOf(values: Readonly<Record<string, string>>): number {
  let characters = 0;
  for (const name in values) characters += name.length + (values[name]?.length ?? 0);
  return characters;
}
