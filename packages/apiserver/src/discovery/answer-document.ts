import { parseGroupVersion } from '@pintle/machinery';
import { StatusError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import type { Encoding, MediaType } from '../http/content-negotiation.ts';
import {
  MEDIA_TYPES,
  parseAccept,
  requestedKindOf,
  supportsParameters,
  wantsPretty,
} from '../http/content-negotiation.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';

const ENCODINGS: readonly Encoding[] = ['json', 'yaml', 'protobuf'];

/** Returns a discovery document in the form that the client accepts. Throws 406 when it accepts no such form. */
export async function answerDocument(state: RequestState, document: JsonObject): Promise<ApiResponse> {
  const { encoding, isPretty } = formOf(headerOf(state.request, 'accept'));
  const headers = { 'content-type': MEDIA_TYPES[encoding] };
  const body = await printDocument(document, encoding, isPretty || wantsPretty(state.request, state.query));
  return { status: 200, headers, body, isShared: true };
}

interface DocumentForm {
  readonly encoding: Encoding;
  readonly isPretty: boolean;
}

/** Returns the form of the first clause that accepts an untransformed document in a known encoding. */
function formOf(accept: string | undefined): DocumentForm {
  if (accept === undefined || accept.trim() === '') return { encoding: 'json', isPretty: false };
  for (const clause of parseAccept(accept)) {
    if (requestedKindOf(clause) !== undefined) continue;
    const encoding = encodingFor(clause);
    if (encoding === undefined || !supportsParameters(clause, { canStream: encoding !== 'yaml' })) continue;
    return { encoding, isPretty: clause.parameters.get('pretty') === '1' };
  }
  throw notAcceptable();
}

/** Returns the first encoding of documents that a clause accepts. */
export function encodingFor(clause: MediaType): Encoding | undefined {
  return ENCODINGS.find((candidate) => accepts(clause, MEDIA_TYPES[candidate]));
}

const printed = new WeakMap<JsonObject, Map<string, Promise<Uint8Array>>>();

/** Returns the document's bytes: encoded once for each form, and shared by all responses while the document exists. */
export function printDocument(document: JsonObject, encoding: Encoding, isPretty: boolean): Promise<Uint8Array> {
  const forms = printed.get(document) ?? new Map<string, Promise<Uint8Array>>();
  printed.set(document, forms);
  const form = isPretty ? `pretty ${encoding}` : encoding;
  let bytes = forms.get(form);
  if (bytes === undefined) {
    bytes = print(document, encoding, isPretty);
    forms.set(form, bytes);
    bytes.catch(() => forms.delete(form));
  }
  return bytes;
}

async function print(document: JsonObject, encoding: Encoding, isPretty: boolean): Promise<Uint8Array> {
  switch (encoding) {
    case 'json':
      return Buffer.from(isPretty ? JSON.stringify(document, undefined, 2) : `${JSON.stringify(document)}\n`);
    case 'yaml': {
      const { stringifyYaml } = await import('@pintle/machinery/yaml');
      return Buffer.from(stringifyYaml(document));
    }
    case 'protobuf':
      return await encodeProtobuf(document);
  }
}

/** True when a clause of an Accept header accepts this type. */
export function accepts({ type: pattern }: MediaType, type: string): boolean {
  if (pattern === '*/*' || pattern === type) return true;
  return pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1));
}

function notAcceptable(): StatusError {
  const types = ENCODINGS.map((encoding) => MEDIA_TYPES[encoding]).join(', ');
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `only the following media types are accepted: ${types}`,
    reason: 'NotAcceptable',
    code: 406,
  });
}

/** Loads the message tables on first use: they are large, and few clients of discovery use protobuf. */
async function encodeProtobuf(document: JsonObject): Promise<Uint8Array> {
  const { messageNameOf, protobufTable } = await import('@pintle/kinds/protobuf');
  const { encodeEnvelope, encodeMessage } = await import('@pintle/machinery/protobuf');
  const kind = String(document.kind);
  // Some documents of the core group have no apiVersion.
  const apiVersion = String(document.apiVersion ?? '');
  const message = messageNameOf({ ...parseGroupVersion(apiVersion || 'v1')!, kind });
  if (message === undefined) throw new Error(`Cannot encode ${kind} as protobuf: it has no message type`);
  return encodeEnvelope({ apiVersion, kind, raw: encodeMessage(protobufTable, message, document) });
}
