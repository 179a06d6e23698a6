import type { Eventual } from '@pintle/async';
import type { KubernetesObject } from '@pintle/machinery';
import { notAcceptableError, StatusError, tooManyRequestsError, unclassifiedError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { asJson } from '@pintle/machinery/json';
import type { StoreRecord } from '@pintle/store';
import type { Encoding, Negotiated, Offer, Transform } from '../../http/content-negotiation.ts';
import { MEDIA_TYPES, negotiate, refuseUnroutable, wantsPretty } from '../../http/content-negotiation.ts';
import type { ApiResponse } from '../../request/exchange.ts';
import { headerOf, whenSent } from '../../request/exchange.ts';
import type { Release } from '../../request/response-memory.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import type { ReadOptions, ServedResource } from '../../resource/served-resource.ts';
import { longTurns } from '../../resource/yield-policy.ts';
import { objectHead, serveObject } from '../../storage/object-codec.ts';
import type { WrittenObject } from '../../storage/object-store.ts';
import { isServedAsStored, toObjects } from '../../storage/object-store.ts';
import { bodyOf } from './body.ts';
import { partialMetadata, tableOf } from './table.ts';
import { writerOf } from './value-writer.ts';

/**
 * Chooses the form of the response before any work is done. Throws 406 when none fits. A transform that does not fit
 * the result, such as that of a list for one object, is refused later.
 */
export function negotiateResponse(context: RequestContext, { isPrinted = true } = {}): Negotiated {
  const encodings = context.resource.isCustom ? CUSTOM : BUILT_IN;
  const transforms = isPrinted && hasTable(context) ? PRINTED : UNPRINTED;
  return negotiateForm(context, { encodings, transforms });
}

const BUILT_IN: readonly Encoding[] = ['json', 'yaml', 'protobuf'];
const CUSTOM: readonly Encoding[] = ['json', 'yaml'];
const UNPRINTED: readonly Transform[] = ['PartialObjectMetadata', 'PartialObjectMetadataList'];
const PRINTED: readonly Transform[] = [...UNPRINTED, 'Table'];
const ALL_TYPES: readonly string[] = Object.values(MEDIA_TYPES);
const ACCEPTED = 'only the following media types are accepted';

/** Subresources that have no table. */
const WITHOUT_TABLE = new Set([
  'apiservices/status',
  'certificatesigningrequests/approval',
  'customresourcedefinitions/status',
  'namespaces/finalize',
  'pods/ephemeralcontainers',
  'pods/resize',
  'resourceclaims/status',
]);

function hasTable({ resource, info: { subresource } }: RequestContext): boolean {
  return resource.isCustom || subresource === '' || !WITHOUT_TABLE.has(`${resource.type.plural}/${subresource}`);
}

/** Like `negotiateResponse`, for a stream of events. Accepts the transform of lists, although it fits no event. */
export function negotiateStream(context: RequestContext): Negotiated {
  return negotiateForm(context, { encodings: context.resource.isCustom ? CUSTOM : BUILT_IN, transforms: PRINTED });
}

/** Throws 406 for YAML, which has no form for events. Called when everything else about the stream is valid. */
export function refuseUnstreamable({ encoding }: Negotiated): void {
  if (encoding === 'yaml') throw failed406(`${ACCEPTED}: ${STREAMS.join(', ')}`);
}

const STREAMS = ['json', 'protobuf'].map((encoding) => `${MEDIA_TYPES[encoding as Encoding]};stream=watch`);

const WITH_STREAMS = { streams: STREAMS };
const WITHOUT_STREAMS = { streams: [] };
const LOGS = { types: ['text/plain', ...ALL_TYPES] };

function negotiateForm(context: RequestContext, offer: Offer): Negotiated {
  const accept = headerOf(context.request, 'accept');
  if (!isOfDefinition(context)) refuseUnknownTypes(context, accept);
  const found = negotiate(accept, { ...offer, serverVersion: 'v1' }, wantsPretty(context.request, context.query));
  if ('refused' in found) throw failed406(`${ACCEPTED}: ${ALL_TYPES.join(', ')}`);
  return found;
}

/** True for custom resources and their scales, which Kubernetes routes separately. */
function isOfDefinition({ resource: { isCustom, scaleView } }: RequestContext): boolean {
  return isCustom || (scaleView?.parent.isCustom ?? false);
}

/** Checks the media types of the route. A collection can be streamed, whether or not this request asks for it. */
function refuseUnknownTypes(
  { request, info: { verb, subresource } }: RequestContext,
  accept: string | undefined,
): void {
  const forms = verb === 'list' || verb === 'watch' ? WITH_STREAMS : subresource === 'log' ? LOGS : WITHOUT_STREAMS;
  refuseUnroutable(request.method, accept, forms);
}

/** Throws the error for a transform that does not fit: that of a list for an object, or of an object for a list. */
export function refuseTransform(context: RequestContext, as: Transform, object?: KubernetesObject): never {
  if (context.resource.isCustom && object !== undefined && as === 'PartialObjectMetadataList') {
    throw unclassifiedError(500, 'content is not a list');
  }
  const noun = object === undefined ? 'a list' : 'not a list';
  throw failed406(`you requested ${as}, but the requested object is ${noun} (*${internalName(context, object)})`);
}

/** Returns the type of the object, or of the list, in Kubernetes' own code. */
function internalName(context: RequestContext, object: KubernetesObject | undefined): string {
  const { type, isCustom } = context.resource;
  if (!isCustom && object !== undefined && isOfDefinition(context)) return `v1.${object.kind}`;
  if (isCustom) return `unstructured.Unstructured${object === undefined ? 'List' : ''}`;
  return object === undefined
    ? `${internalGroup(type.apiVersion)}.${type.kind}List`
    : `${internalGroup(object.apiVersion)}.${object.kind}`;
}

/** Returns the group of a version; events of either group are in the core group. */
function internalGroup(apiVersion: string): string {
  const [group = ''] = apiVersion.split(/[./]/);
  return !apiVersion.includes('/') || group === 'events' ? 'core' : group;
}

function failed406(message: string): StatusError {
  const { status } = notAcceptableError([]);
  return new StatusError({ ...status, message });
}

const heads = new WeakMap<ServedResource, Uint8Array>();

/** Bytes before the resourceVersion of this resource's objects; cached. */
export function headOf(resource: ServedResource): Uint8Array {
  let head = heads.get(resource);
  if (head === undefined) {
    head = objectHead(resource.type.apiVersion, resource.type.kind);
    heads.set(resource, head);
  }
  return head;
}

/** Returns a stored object. Sends its bytes without parsing when they have the negotiated form. */
export function recordResponse(
  context: RequestContext,
  form: Negotiated,
  record: StoreRecord,
  options: ReadOptions,
): Eventual<ApiResponse> {
  const { resource } = context;
  if (isStoredForm(form) && isServedAsStored(resource, record)) return storedResponse(resource, 200, record);
  return convertedResponse(context, form, record, options);
}

async function convertedResponse(
  context: RequestContext,
  form: Negotiated,
  record: StoreRecord,
  options: ReadOptions,
): Promise<ApiResponse> {
  const release = await reserveMemory(context, record);
  try {
    context.yielding.weigh(record.value.length);
    const [object] = await context.yielding.inOwnTurn(() => toObjects(context.resource, [record], options));
    return whenSent(await objectResponse(context, form, 200, object!), context.request, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Objects below this size are not counted against memory. */
const LARGE_BYTES = 64 * 1024;
/** Ratio of an object's size in memory to its stored bytes. */
const OBJECT_FACTOR = 8;

/** Reserves memory for a large object while its response is encoded. Throws 429 when the limit is reached. */
async function reserveMemory({ memory, request }: RequestContext, { value }: StoreRecord): Promise<Release> {
  if (value.length < LARGE_BYTES) return () => {};
  const release = await memory.take(value.length * OBJECT_FACTOR, request);
  if (release === 'full')
    throw tooManyRequestsError('Too many requests, please try again later.', { retryAfterSeconds: 1 });
  return release;
}

/** True when the form is that of stored objects. */
function isStoredForm({ encoding, transform, pretty }: Negotiated): boolean {
  return encoding === 'json' && transform === undefined && !pretty;
}

function storedResponse(
  resource: ServedResource,
  status: number,
  record: Pick<StoreRecord, 'value' | 'modRevision'>,
): ApiResponse {
  const body = serveObject(headOf(resource), record, record.modRevision, '\n');
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** Returns an object that was just written. Sends its stored bytes when they have the negotiated form. */
export async function writtenResponse(
  context: RequestContext,
  form: Negotiated,
  status: number,
  { object, record }: WrittenObject,
): Promise<ApiResponse> {
  if (record !== undefined && isStoredForm(form) && isServedAsStored(context.resource, record)) {
    return storedResponse(context.resource, status, record);
  }
  return await objectResponse(context, form, status, object);
}

/** Returns an object in the negotiated form. */
export async function objectResponse(
  context: RequestContext,
  form: Negotiated,
  status: number,
  object: KubernetesObject,
): Promise<ApiResponse> {
  const shaped = await context.yielding.inOwnTurn(() => {
    return form.transform === undefined ? asJson(object) : transformed(context, form, object);
  });
  return await context.yielding.inOwnTurn(() => valueResponse(context, form, status, shaped));
}

function transformed(context: RequestContext, form: Negotiated, object: KubernetesObject): JsonObject {
  if (form.transform?.as === 'Table') {
    const { resourceVersion } = object.metadata;
    return tableOf(context, form.transform.version, [object], resourceVersion ? { resourceVersion } : {});
  }
  if (form.transform?.as === 'PartialObjectMetadataList') refuseTransform(context, form.transform.as, object);
  return partialMetadata(object, form.transform?.version ?? 'v1', context.resource.rules);
}

/** Returns any value in the negotiated form. Yields to other requests while a long one is encoded. */
export async function valueResponse(
  { clock }: Pick<RequestContext, 'clock'>,
  form: Negotiated,
  status: number,
  value: JsonObject,
): Promise<ApiResponse> {
  const writer = await writerOf(form);
  const body = await bodyOf(writer.value(value), longTurns(clock));
  return { status, headers: { 'content-type': MEDIA_TYPES[form.encoding] }, body };
}
