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
import type { EndpointCall } from '../../resource/endpoint.ts';
import type { ReadOptions, ServedResource } from '../../resource/served-resource.ts';
import { longTurns } from '../../resource/yield-policy.ts';
import { objectHead, serveObject } from '../../storage/object-codec.ts';
import type { WrittenObject } from '../../storage/object-store.ts';
import { isServedAsStored, toObjects } from '../../storage/object-store.ts';
import { bodyOf } from './body.ts';
import { partialMetadata, tableOf } from './table.ts';
import { writerOf } from './value-writer.ts';

/**
 * Decides, before anything is done, in which form the response will go out. Throws 406 when none fits. A shape that does
 * not fit what is found, such as a list's for one object, is refused only then.
 */
export function negotiateAnswer(call: EndpointCall, { isPrinted = true } = {}): Negotiated {
  const encodings = call.resource.isCustom ? CUSTOM : BUILT_IN;
  const transforms = isPrinted && hasTable(call) ? PRINTED : UNPRINTED;
  return negotiateForm(call, { encodings, transforms });
}

const BUILT_IN: readonly Encoding[] = ['json', 'yaml', 'protobuf'];
const CUSTOM: readonly Encoding[] = ['json', 'yaml'];
const UNPRINTED: readonly Transform[] = ['PartialObjectMetadata', 'PartialObjectMetadataList'];
const PRINTED: readonly Transform[] = [...UNPRINTED, 'Table'];
const ALL_TYPES: readonly string[] = Object.values(MEDIA_TYPES);
const ACCEPTED = 'only the following media types are accepted';

/** Parts of objects that nobody thought of printing. */
const WITHOUT_TABLE = new Set([
  'apiservices/status',
  'certificatesigningrequests/approval',
  'customresourcedefinitions/status',
  'namespaces/finalize',
  'pods/ephemeralcontainers',
  'pods/resize',
  'resourceclaims/status',
]);

function hasTable({ resource, info: { subresource } }: EndpointCall): boolean {
  return resource.isCustom || subresource === '' || !WITHOUT_TABLE.has(`${resource.type.plural}/${subresource}`);
}

/** As `negotiateAnswer`, for a stream of events. The shape of lists fits no event, but is taken. */
export function negotiateStream(call: EndpointCall): Negotiated {
  return negotiateForm(call, { encodings: call.resource.isCustom ? CUSTOM : BUILT_IN, transforms: PRINTED });
}

/** YAML has no form for events, which comes out once everything else about the stream is known to be right. */
export function refuseUnstreamable({ encoding }: Negotiated): void {
  if (encoding === 'yaml') throw failed406(`${ACCEPTED}: ${STREAMS.join(', ')}`);
}

const STREAMS = ['json', 'protobuf'].map((encoding) => `${MEDIA_TYPES[encoding as Encoding]};stream=watch`);

const WITH_STREAMS = { streams: STREAMS };
const WITHOUT_STREAMS = { streams: [] };
const LOGS = { types: ['text/plain', ...ALL_TYPES] };

function negotiateForm(call: EndpointCall, offer: Offer): Negotiated {
  const accept = headerOf(call.request, 'accept');
  if (!isOfDefinition(call)) refuseUnknownTypes(call, accept);
  const found = negotiate(accept, { ...offer, serverVersion: 'v1' }, wantsPretty(call.request, call.query));
  if ('refused' in found) throw failed406(`${ACCEPTED}: ${ALL_TYPES.join(', ')}`);
  return found;
}

/** Kubernetes routes what belongs to custom resources by itself, their scales included. */
function isOfDefinition({ resource: { isCustom, facade } }: EndpointCall): boolean {
  return isCustom || (facade?.of.isCustom ?? false);
}

/** A collection may be asked for as a stream, whether or not this request does. */
function refuseUnknownTypes({ request, info: { verb, subresource } }: EndpointCall, accept: string | undefined): void {
  const forms = verb === 'list' || verb === 'watch' ? WITH_STREAMS : subresource === 'log' ? LOGS : WITHOUT_STREAMS;
  refuseUnroutable(request.method, accept, forms);
}

/** What a shape that is not the object's is answered with: a list's for an object, or an object's for a list. */
export function refuseShape(call: EndpointCall, as: Transform, object?: KubernetesObject): never {
  if (call.resource.isCustom && object !== undefined && as === 'PartialObjectMetadataList') {
    throw unclassifiedError(500, 'content is not a list');
  }
  const noun = object === undefined ? 'a list' : 'not a list';
  throw failed406(`you requested ${as}, but the requested object is ${noun} (*${internalName(call, object)})`);
}

/** What Kubernetes calls the type of the object, or of the list, in its own code. */
function internalName(call: EndpointCall, object: KubernetesObject | undefined): string {
  const { type, isCustom } = call.resource;
  if (!isCustom && object !== undefined && isOfDefinition(call)) return `v1.${object.kind}`;
  if (isCustom) return `unstructured.Unstructured${object === undefined ? 'List' : ''}`;
  return object === undefined
    ? `${internalGroup(type.apiVersion)}.${type.kind}List`
    : `${internalGroup(object.apiVersion)}.${object.kind}`;
}

/** Events of either group are events of the core. */
function internalGroup(apiVersion: string): string {
  const [group = ''] = apiVersion.split(/[./]/);
  return !apiVersion.includes('/') || group === 'events' ? 'core' : group;
}

function failed406(message: string): StatusError {
  const { status } = notAcceptableError([]);
  return new StatusError({ ...status, message });
}

const heads = new WeakMap<ServedResource, Uint8Array>();

/** What stands before the resourceVersion of this resource's objects; made once. */
export function headOf(resource: ServedResource): Uint8Array {
  let head = heads.get(resource);
  if (head === undefined) {
    head = objectHead(resource.type.apiVersion, resource.type.kind);
    heads.set(resource, head);
  }
  return head;
}

/** The stored object; sent without being parsed when it is wanted as it is kept. */
export function answerRecord(
  call: EndpointCall,
  form: Negotiated,
  record: StoreRecord,
  options: ReadOptions,
): Eventual<ApiResponse> {
  const { resource } = call;
  if (isAsKept(form) && isServedAsStored(resource, record)) return answerKept(resource, 200, record);
  return answerConverted(call, form, record, options);
}

async function answerConverted(
  call: EndpointCall,
  form: Negotiated,
  record: StoreRecord,
  options: ReadOptions,
): Promise<ApiResponse> {
  const release = await roomFor(call, record);
  try {
    call.yielding.weigh(record.value.length);
    const [object] = await call.yielding.inOwnTurn(() => toObjects(call.resource, [record], options));
    return whenSent(await answerObject(call, form, 200, object!), call.request, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Smaller objects are gone before it matters. */
const LARGE_BYTES = 64 * 1024;
/** An object in memory takes about so many times the bytes it is kept as. */
const OBJECT_FACTOR = 8;

/** Room for a large object while its answer is made. Throws 429 when there is none. */
async function roomFor({ memory, request }: EndpointCall, { value }: StoreRecord): Promise<Release> {
  if (value.length < LARGE_BYTES) return () => {};
  const release = await memory.take(value.length * OBJECT_FACTOR, request);
  if (release === 'full')
    throw tooManyRequestsError('Too many requests, please try again later.', { retryAfterSeconds: 1 });
  return release;
}

/** The form is that of stored objects. */
function isAsKept({ encoding, transform, pretty }: Negotiated): boolean {
  return encoding === 'json' && transform === undefined && !pretty;
}

function answerKept(
  resource: ServedResource,
  status: number,
  record: Pick<StoreRecord, 'value' | 'modRevision'>,
): ApiResponse {
  const body = serveObject(headOf(resource), record, record.modRevision, '\n');
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** The object that was written: the bytes that are stored where those are what the client wants. */
export async function answerWritten(
  call: EndpointCall,
  form: Negotiated,
  status: number,
  { object, record }: WrittenObject,
): Promise<ApiResponse> {
  if (record !== undefined && isAsKept(form) && isServedAsStored(call.resource, record)) {
    return answerKept(call.resource, status, record);
  }
  return await answerObject(call, form, status, object);
}

/** The object in the form that was negotiated. */
export async function answerObject(
  call: EndpointCall,
  form: Negotiated,
  status: number,
  object: KubernetesObject,
): Promise<ApiResponse> {
  const shaped = await call.yielding.inOwnTurn(() => {
    return form.transform === undefined ? asJson(object) : shape(call, form, object);
  });
  return await call.yielding.inOwnTurn(() => answerValue(call, form, status, shaped));
}

function shape(call: EndpointCall, form: Negotiated, object: KubernetesObject): JsonObject {
  if (form.transform?.as === 'Table') {
    const { resourceVersion } = object.metadata;
    return tableOf(call, form.transform.version, [object], resourceVersion ? { resourceVersion } : {});
  }
  if (form.transform?.as === 'PartialObjectMetadataList') refuseShape(call, form.transform.as, object);
  return partialMetadata(object, form.transform?.version ?? 'v1', call.resource.rules);
}

/** Any value of the API in the form that was negotiated. Others go first while a long one is written. */
export async function answerValue(
  { clock }: Pick<EndpointCall, 'clock'>,
  form: Negotiated,
  status: number,
  value: JsonObject,
): Promise<ApiResponse> {
  const writer = await writerOf(form);
  const body = await bodyOf(writer.value(value), longTurns(clock));
  return { status, headers: { 'content-type': MEDIA_TYPES[form.encoding] }, body };
}
