import type { Eventual } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { StatusError } from '@pintle/machinery/errors';
import { asJson, type JsonObject } from '@pintle/machinery/json';
import type { Revision, StoreEvent, StoreRecord } from '@pintle/store';
import { StoreError } from '@pintle/store';
import type { Negotiated } from '../../http/content-negotiation.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { asObject } from '../../resource/served-resource.ts';
import { LARGE_BYTES, SharedTurn, type YieldPolicy } from '../../resource/yield-policy.ts';
import type { Surroundings } from '../../storage/object-codec.ts';
import { objectHead, serveMetadata, serveObject, serveObjects } from '../../storage/object-codec.ts';
import { areServedAsStored, isReadAtOnce, isServedAsStored, toObject, toObjects } from '../../storage/object-store.ts';
import type { ObjectFilter } from '../read/object-filter.ts';
import type { ObjectSummary } from '../read/object-summary.ts';
import { ObjectSummarizer } from '../read/object-summary.ts';
import { headOf } from '../response/response.ts';
import { columnDefinitions, includeObject, partialMetadata, printerOf, row } from '../response/table.ts';
import type { EventType, WatchFraming } from './watch-frame.ts';
import { JSON_END, jsonHeads, watchFraming } from './watch-frame.ts';

/** A promise only when the object has to be converted, is large, or this turn has been long already. */
export type Encoded = Uint8Array | Promise<Uint8Array>;

/**
 * Returns the encoder for watchers of a resource that negotiated the same form. They share it, with its encoded events.
 * Tables are not shared: the first event has the column definitions, and cells have ages.
 */
export async function watchEncoder(context: RequestContext, form: Negotiated): Promise<WatchEncoder> {
  const { resource } = context;
  const { transform, encoding } = form;
  if (transform?.as === 'Table') {
    const options = { transformObject: tableTransform(context, transform.version), turn: turnOf(context) };
    return new WatchEncoder(resource, await watchFraming(encoding), options);
  }
  if (transform?.as === 'PartialObjectMetadataList') {
    return new WatchEncoder(resource, await watchFraming(encoding), { transformObject: refuseObjects });
  }
  const key = `${encoding} ${transform?.version ?? ''}`;
  const known = encoders.get(resource)?.get(key);
  if (known !== undefined) return known;
  const framing = await watchFraming(encoding);
  const transformObject =
    transform && ((object: KubernetesObject) => partialMetadata(object, transform.version, resource.rules));
  const stored = encoding === 'json' ? storedEventEncoder(resource, transform?.version) : undefined;
  const encoder = new WatchEncoder(resource, framing, { transformObject, stored });
  const ofResource = encoders.get(resource) ?? new Map<string, WatchEncoder>();
  encoders.set(resource, ofResource.set(key, encoder));
  return encoder;
}

/** Runs short work of many clients at once, and the rest in turns of this one. */
type RunInTurn = <T>(work: () => T) => Eventual<T>;

function turnOf({ clock, yielding }: RequestContext): RunInTurn {
  const shared = SharedTurn.of(clock);
  return (work) => shared.run(work, yielding.ownTurn);
}

const encoders = new WeakMap<ServedResource, Map<string, WatchEncoder>>();

interface EncoderOptions {
  /** Default: the whole object. */
  readonly transformObject?: ObjectTransform | undefined;
  /** Set when the form is that of stored objects, or their metadata. */
  readonly stored?: StoredEventEncoder | undefined;
  /** Runs transforms that are made for each watcher and may be slow. */
  readonly turn?: RunInTurn;
}

type ObjectTransform = (object: KubernetesObject) => JsonObject;

/** Encodes events from the bytes of stored objects, without parsing them. */
interface StoredEventEncoder {
  one(type: EventType, record: StoreRecord, revision: Revision): Uint8Array;
  /** Encodes ADDED events of all records at once. */
  initial?(records: readonly StoreRecord[]): Uint8Array;
}

function storedEventEncoder(
  resource: ServedResource,
  metadataVersion: string | undefined,
): StoredEventEncoder | undefined {
  if (metadataVersion === undefined) {
    const heads = jsonHeads(headOf(resource));
    return {
      one: (type, record, revision) => serveObject(heads[type], record, revision, JSON_END),
      initial: (records) => serveObjects(heads.ADDED, records, EVENTS),
    };
  }
  if (resource.rules.fieldAnnotations !== undefined) return undefined;
  const heads = jsonHeads(objectHead(`meta.k8s.io/${metadataVersion}`, 'PartialObjectMetadata'));
  return { one: (type, record, revision) => serveMetadata(heads[type], record, revision, JSON_END) };
}

const END_BYTES = Buffer.from(JSON_END);
const EVENTS: Surroundings = { before: new Uint8Array(0), between: END_BYTES, behind: END_BYTES };

/** Thrown when the negotiated transform does not fit an object. Kubernetes ends such a watch without an event. */
export class UnfitTransform extends Error {
  override readonly name = 'UnfitTransform';
}

function refuseObjects(): never {
  throw new UnfitTransform('An object cannot be shown as a list');
}

function tableTransform(context: RequestContext, version: 'v1' | 'v1beta1'): ObjectTransform {
  const printer = printerOf(context);
  const include = includeObject(context.query);
  let isFirst = true;
  return (object) => {
    const columns = isFirst ? columnDefinitions(context, printer) : null;
    isFirst = false;
    return {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${version}`,
      metadata: { resourceVersion: object.metadata.resourceVersion ?? '' },
      columnDefinitions: columns,
      rows: [row(context, printer, include, version, object)],
    };
  };
}

const blanks = new WeakMap<ServedResource, KubernetesObject>();

/** Returns the object of bookmarks: an empty one of its type, as Go prints it. Custom resources have no type. */
function blankOf(resource: ServedResource): KubernetesObject {
  let blank = blanks.get(resource);
  if (blank === undefined) {
    blank = asObject(resource.isCustom ? {} : resource.reader.read({}).value, resource);
    resource.rules.completeBlank?.(blank);
    blanks.set(resource, blank);
  }
  return blank;
}

/** Encodes events in one form. */
export class WatchEncoder {
  readonly #resource: ServedResource;
  readonly #framing: WatchFraming;
  readonly #transformObject: ObjectTransform | undefined;
  readonly #stored: StoredEventEncoder | undefined;
  readonly #turn: RunInTurn | undefined;
  /** Encoded events that some watcher has yet to send. */
  readonly #encoded = new WeakMap<StoreEvent, Partial<Record<EventType, Encoded>>>();
  /** Summaries of the objects that filters read. */
  readonly #summaries = new WeakMap<StoreRecord, ObjectSummary>();

  constructor(resource: ServedResource, framing: WatchFraming, { transformObject, stored, turn }: EncoderOptions) {
    this.#resource = resource;
    this.#framing = framing;
    this.#transformObject = transformObject;
    this.#stored = stored;
    this.#turn = turn;
  }

  /** False when the negotiated transform fits no object; errors can always be encoded. */
  get canEncodeObjects(): boolean {
    return this.#transformObject !== refuseObjects;
  }

  get contentType(): string {
    return this.#framing.contentType;
  }

  record(type: EventType, record: StoreRecord, revision: Revision = record.modRevision): Encoded {
    const resource = this.#resource;
    if (this.#stored !== undefined && isServedAsStored(resource, record)) {
      return this.#stored.one(type, record, revision);
    }
    if (!isReadAtOnce(resource, record)) return this.#converted(type, record, revision);
    const encode = () => this.#object(type, toObject(resource, record), revision);
    return this.#turn === undefined ? encode() : this.#turn(encode);
  }

  /**
   * Encodes ADDED events of the records, in few chunks where the framing allows, since each chunk costs a write. Awaits
   * only events that take time to encode: there may be very many.
   */
  async initial(records: readonly StoreRecord[]): Promise<readonly Uint8Array[]> {
    if (this.#stored?.initial && areServedAsStored(this.#resource, records)) {
      return [this.#stored.initial(records)];
    }
    const chunks: Uint8Array[] = [];
    for (const record of records) {
      const chunk = this.record('ADDED', record);
      chunks.push(chunk instanceof Promise ? await chunk : chunk);
    }
    return this.#framing.isByLine && chunks.length > 1 ? [Buffer.concat(chunks)] : chunks;
  }

  /**
   * Encodes the event as a filter lets a watcher see it; `undefined` when it sees nothing. A large object that has to
   * be parsed gets its own turn of the event loop, because hundreds may watch it.
   */
  event(
    event: StoreEvent,
    filter: ObjectFilter,
    { ownTurn }: YieldPolicy,
  ): Encoded | undefined | Promise<Uint8Array | undefined> {
    return this.#isLong(event, filter)
      ? ownTurn().then(() => this.#encodeEvent(event, filter))
      : this.#encodeEvent(event, filter);
  }

  #isLong(event: StoreEvent, filter: ObjectFilter): boolean {
    const { previous } = event;
    const record = event.type === 'put' ? event.record : undefined;
    if ((previous?.value.length ?? 0) + (record?.value.length ?? 0) < LARGE_BYTES) return false;
    if (this.#encoded.has(event) && filter.isEverything) return false;
    const shown = record ?? previous!;
    return !filter.isEverything || this.#stored === undefined || !isServedAsStored(this.#resource, shown);
  }

  #encodeEvent(event: StoreEvent, filter: ObjectFilter): Encoded | undefined | Promise<Uint8Array | undefined> {
    if (!filter.isEverything) return this.#filtered(event, filter);
    return this.#transition(event, event.previous !== undefined, event.type === 'put');
  }

  bookmark(revision: Revision, { isInitialEnd }: { readonly isInitialEnd: boolean }): Uint8Array {
    const blank = blankOf(this.#resource);
    const annotations = { ...blank.metadata.annotations, ...(isInitialEnd && { 'k8s.io/initial-events-end': 'true' }) };
    const metadata = {
      resourceVersion: String(revision),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    };
    return this.#framed('BOOKMARK', { ...blank, metadata });
  }

  /** Encodes an error event. Rethrows errors that clients cannot handle. */
  error(error: unknown, from: Revision | undefined): Uint8Array {
    return this.#framing.frame('ERROR', statusOf(error, from));
  }

  #filtered(event: StoreEvent, filter: ObjectFilter): Encoded | undefined | Promise<Uint8Array | undefined> {
    const { previous } = event;
    const record = event.type === 'put' ? event.record : undefined;
    if (!this.#isReadable(previous) || !this.#isReadable(record)) return this.#filteredLater(event, filter);
    return this.#transition(event, this.#matches(previous, filter), this.#matches(record, filter));
  }

  #isReadable(record: StoreRecord | undefined): boolean {
    return record === undefined || isReadAtOnce(this.#resource, record);
  }

  #matches(record: StoreRecord | undefined, filter: ObjectFilter): boolean {
    return (
      record !== undefined &&
      filter.matchesRecord(record.key, () => this.#summaryOf(record, filter.shard !== undefined))
    );
  }

  #summaryOf(record: StoreRecord, isSharded: boolean): ObjectSummary {
    let summary = this.#summaries.get(record);
    if (summary === undefined || (isSharded && summary.hashes === undefined)) {
      summary = ObjectSummarizer.of(this.#resource, { isSharded }).summarize(record);
      this.#summaries.set(record, summary);
    }
    return summary;
  }

  async #filteredLater(event: StoreEvent, filter: ObjectFilter): Promise<Uint8Array | undefined> {
    const records = [event.previous, event.type === 'put' ? event.record : undefined];
    const matches = records.map(async (record) => {
      const objects = record === undefined ? [] : await toObjects(this.#resource, [record]);
      return objects.some((object) => filter.matches(object));
    });
    const [before, now] = await Promise.all(matches);
    return await this.#transition(event, before!, now!);
  }

  /** An object that begins to match is ADDED, one that stops matching is DELETED. */
  #transition(event: StoreEvent, before: boolean, now: boolean): Encoded | undefined {
    if (event.type === 'put' && now) return this.#once(event, before ? 'MODIFIED' : 'ADDED');
    return before ? this.#once(event, 'DELETED') : undefined;
  }

  /** Encodes for the first watcher and returns the same bytes to the others. */
  #once(event: StoreEvent, type: EventType): Encoded {
    const made = this.#encoded.get(event) ?? {};
    const known = made[type];
    if (known !== undefined) return known;
    const encoded = this.#encode(event, type);
    // Table events differ between watchers, but each of these has its own encoder.
    made[type] = encoded;
    this.#encoded.set(event, made);
    if (encoded instanceof Promise) encoded.catch(() => this.#encoded.delete(event));
    return encoded;
  }

  #encode(event: StoreEvent, type: EventType): Encoded {
    if (event.type === 'delete') return this.record(type, event.previous, event.revision);
    return this.record(type, type === 'DELETED' ? event.previous! : event.record, event.record.modRevision);
  }

  async #converted(type: EventType, record: StoreRecord, revision: Revision): Promise<Uint8Array> {
    const [object] = await toObjects(this.#resource, [record]);
    const encode = () => this.#object(type, object!, revision);
    return this.#turn === undefined ? encode() : await this.#turn(encode);
  }

  #object(type: EventType, object: KubernetesObject, revision: Revision): Uint8Array {
    object.metadata.resourceVersion = String(revision);
    return this.#framed(type, object);
  }

  #framed(type: EventType, object: KubernetesObject): Uint8Array {
    return this.#framing.frame(type, this.#transformObject?.(object) ?? asJson(object));
  }
}

function statusOf(error: unknown, from: Revision | undefined): JsonObject {
  if (error instanceof StatusError) return asJson(error.status);
  if (error instanceof StoreError && error.failure.code === 'Compacted') {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `too old resource version: ${from ?? error.failure.requested} (${error.failure.oldest})`,
      reason: 'Expired',
      code: 410,
    };
  }
  if (error instanceof StoreError && error.failure.code === 'Corrupt') {
    // As in Kubernetes when a damaged object is deleted: its content is unknown, so clients list again.
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `saw a change of an object whose data is corrupt - ${error.message}`,
      reason: 'StorageReadError',
      code: 500,
    };
  }
  throw error;
}
