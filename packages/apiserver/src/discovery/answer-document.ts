import { StatusError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import type { Encoding } from '../http/content-negotiation.ts';
import { MEDIA_TYPES } from '../http/content-negotiation.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { headerOf } from '../http/exchange.ts';
import type { MediaType } from '../http/media-type.ts';
import { parseAccept } from '../http/media-type.ts';
import type { RequestState } from '../request/pipeline.ts';
import { isTrue } from '../request/request-info.ts';

const ENCODINGS: readonly Encoding[] = ['json', 'yaml', 'protobuf'];

/** One of the meta types of discovery, in the form the client asks for. Throws 406 when there is none. */
export async function answerDocument(state: RequestState, document: JsonObject): Promise<ApiResponse> {
  const encoding = encodingOf(headerOf(state.request, 'accept'));
  const headers = { 'content-type': MEDIA_TYPES[encoding] };
  switch (encoding) {
    case 'json':
      return { status: 200, headers, body: Buffer.from(JSON.stringify(document, undefined, indentOf(state))) };
    case 'yaml': {
      const { stringifyYaml } = await import('@pintle/machinery/yaml');
      return { status: 200, headers, body: Buffer.from(stringifyYaml(document)) };
    }
    case 'protobuf':
      return { status: 200, headers, body: await encodeProtobuf(document) };
  }
}

/** The first clause that asks for the document as it is, in an encoding there is. */
function encodingOf(accept: string | undefined): Encoding {
  if (accept === undefined || accept.trim() === '') return 'json';
  for (const clause of parseAccept(accept)) {
    if (clause.parameters.get('as')) continue;
    const encoding = ENCODINGS.find((candidate) => accepts(clause, MEDIA_TYPES[candidate]));
    if (encoding !== undefined) return encoding;
  }
  throw notAcceptable();
}

/** Whether a clause of an Accept header takes this type. */
export function accepts({ type: pattern }: MediaType, type: string): boolean {
  if (pattern === '*/*' || pattern === type) return true;
  return pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1));
}

function indentOf({ query }: RequestState): number {
  return query.has('pretty') && isTrue(query.get('pretty')) ? 2 : 0;
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

/** Message tables are large and few clients of discovery speak protobuf: they are loaded when one does. */
async function encodeProtobuf(document: JsonObject): Promise<Uint8Array> {
  const { messageNameOf, protobufTable } = await import('@pintle/kinds/protobuf');
  const { encodeEnvelope, encodeMessage } = await import('@pintle/machinery/protobuf');
  const kind = String(document.kind);
  const message = messageNameOf({ group: '', version: 'v1', kind });
  if (message === undefined) throw new Error(`Cannot write ${kind} as protobuf: it has no message`);
  return encodeEnvelope({ apiVersion: 'v1', kind, raw: encodeMessage(protobufTable, message, document) });
}
