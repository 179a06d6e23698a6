import type { KubernetesObject } from '@pintle/machinery';
import { StatusError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { encodeJson } from '@pintle/machinery/json';
import type { StoreRecord } from '@pintle/store';
import type { Encoding, Negotiated, Transform } from '../http/content-negotiation.ts';
import { MEDIA_TYPES, negotiate } from '../http/content-negotiation.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { headerOf } from '../http/exchange.ts';
import { isTrue } from '../request/request-info.ts';
import { objectHead, serveObject } from '../storage/object-codec.ts';
import { toObject } from '../storage/object-store.ts';
import type { EndpointCall } from './endpoint.ts';
import { partialMetadata } from './partial-metadata.ts';
import type { ServedResource } from './served-resource.ts';
import { tableOf } from './table.ts';

/** Settles, before anything is done, in which form the answer will go out. Throws 406 when none fits. */
export function negotiateAnswer(call: EndpointCall, transforms: readonly Transform[]): Negotiated {
  const encodings: Encoding[] = call.resource.isCustom ? ['json', 'yaml'] : ['json', 'yaml', 'protobuf'];
  const found = negotiate(headerOf(call.request, 'accept'), { encodings, transforms }, wantsPretty(call));
  if (found !== undefined) return found;
  const types = encodings.map((encoding) => MEDIA_TYPES[encoding]).join(', ');
  throw new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `only the following media types are accepted: ${types}`,
    reason: 'NotAcceptable',
    code: 406,
  });
}

function wantsPretty(call: EndpointCall): boolean {
  return call.query.has('pretty') && isTrue(call.query.get('pretty'));
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
export async function answerRecord(call: EndpointCall, form: Negotiated, record: StoreRecord): Promise<ApiResponse> {
  const { resource } = call;
  if (form.encoding === 'json' && form.transform === undefined && !form.pretty && resource.conversion === undefined) {
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: serveObject(headOf(resource), record),
    };
  }
  return await answerObject(call, form, 200, toObject(resource, record));
}

/** The object in the form that was settled. */
export async function answerObject(
  call: EndpointCall,
  form: Negotiated,
  status: number,
  object: KubernetesObject,
): Promise<ApiResponse> {
  const shaped = form.transform === undefined ? (object as unknown as JsonObject) : shape(call, form, object);
  return await answerValue(call.resource, form, status, shaped);
}

function shape(call: EndpointCall, form: Negotiated, object: KubernetesObject): JsonObject {
  if (form.transform?.as === 'Table') {
    return tableOf(call, form.transform.version, [object], { resourceVersion: object.metadata.resourceVersion ?? '' });
  }
  return partialMetadata(object, form.transform?.version ?? 'v1');
}

/** Any value of the API in the form that was settled. */
export async function answerValue(
  resource: ServedResource,
  form: Negotiated,
  status: number,
  value: JsonObject,
): Promise<ApiResponse> {
  const headers = { 'content-type': MEDIA_TYPES[form.encoding] };
  switch (form.encoding) {
    case 'json':
      return { status, headers, body: form.pretty ? prettyJson(value) : encodeJson(value) };
    case 'yaml': {
      const { stringifyYaml } = await import('@pintle/machinery/yaml');
      return { status, headers, body: Buffer.from(stringifyYaml(value)) };
    }
    case 'protobuf': {
      const { encodeProtobufObject } = await import('../storage/protobuf.ts');
      return { status, headers, body: encodeProtobufObject(value, resource) };
    }
  }
}

function prettyJson(value: JsonObject): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? Number(item) : item), 2)}\n`);
}
