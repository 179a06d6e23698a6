import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { ApiRequest, ApiResponse } from '../http/exchange.ts';
import { headerOf, textResponse } from '../http/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import { describeTransportError } from '../webhook/transport-errors.ts';
import { BackendBody } from './backend-body.ts';
import type { BackendConnections } from './backend-connections.ts';
import { forwardedHeaders, HOP_BY_HOP } from './forwarded-headers.ts';
import type { RemoteApi } from './remote-api.ts';

const NOTHING = new Uint8Array();
const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';

/**
 * Answers a request with what the server of a remote API answers, whatever that is, as it comes. Only a redirect is
 * refused: it could lead clients, with their credentials, anywhere.
 */
export async function passOn(
  connections: BackendConnections,
  api: RemoteApi,
  state: RequestState,
): Promise<ApiResponse> {
  if (!api.isAvailable) return unavailable();
  if (climbs(state.request.path)) return textResponse(400, 'the path must not have . or .. segments\n');
  const address = await connections.locate(api).catch(() => undefined);
  if (address === undefined) return unavailable();
  const { request } = state;
  const { method, path, query, body, signal } = request;
  const headers = forwardedHeaders(state);
  const upgrade = upgradeHeaders(request);
  // Between the servers, answers are small whether or not the client can read that.
  const isOwnGzip = headers['accept-encoding'] === undefined && headers.range === undefined && method !== 'HEAD';
  try {
    const { message, socket, head } = await connections.send(api, address, {
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers: { ...headers, ...(isOwnGzip && { 'accept-encoding': 'gzip' }), ...upgrade },
      body,
      signal,
    });
    if (socket !== undefined) return upgradedTo(message, { socket, head: head ?? NOTHING });
    return isRedirect(message) ? refuseRedirect(message) : answerOf(message, isOwnGzip);
  } catch (error) {
    signal.throwIfAborted();
    return textResponse(503, `error trying to reach service: ${describeTransportError(error)}\n`);
  }
}

function unavailable(): ApiResponse {
  return textResponse(503, 'service unavailable\n');
}

/** What was authorized must be what the other server sees, even one that tidies up paths. */
function climbs(path: string): boolean {
  return decodeURIComponent(path)
    .split('/')
    .some((segment) => segment === '.' || segment === '..');
}

/** Sent on only where the client's connection can be handed over. */
function upgradeHeaders(request: ApiRequest): OutgoingHttpHeaders {
  const upgrade = headerOf(request, 'upgrade');
  return request.canUpgrade && upgrade !== undefined ? { connection: 'Upgrade', upgrade } : {};
}

/** The body is nothing: from here on the two ends speak to each other. */
function upgradedTo(message: IncomingMessage, upgraded: NonNullable<ApiResponse['upgraded']>): ApiResponse {
  const { headers } = answerOf(message, false);
  const { upgrade = '' } = message.headers;
  return { status: 101, headers: { ...headers, connection: 'Upgrade', upgrade }, body: NOTHING, upgraded };
}

function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode <= 399 && headers.location !== undefined;
}

function refuseRedirect(message: IncomingMessage): ApiResponse {
  message.destroy();
  return { status: 502, headers: {}, body: Buffer.from(REDIRECTED), isPassedOn: true };
}

function answerOf(message: IncomingMessage, isOwnGzip: boolean): ApiResponse {
  const unzip = isOwnGzip && message.headers['content-encoding'] === 'gzip';
  const headers: ApiResponse['headers'] = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value === undefined || HOP_BY_HOP.has(name)) continue;
    if (unzip && (name === 'content-encoding' || name === 'content-length')) continue;
    headers[name] = value;
  }
  return { status: message.statusCode ?? 502, headers, body: new BackendBody(message, { unzip }), isPassedOn: true };
}
