import type { OutgoingHttpHeaders } from 'node:http';
import type { ApiRequest, ApiResponse, UserInfo } from '@pintle/apiserver';
import type { OutboundResponse } from '@pintle/apiserver/outbound';
import { describeTransportError, OutboundError, ResponseBody } from '@pintle/apiserver/outbound';
import type { RequestState } from '@pintle/apiserver/request';
import { decodePercent, headerOf, textResponse } from '@pintle/apiserver/request';
import type { BackendClient } from './backend-client.ts';
import { fitsInHeaders, forwardedHeaders, HOP_BY_HOP, namedInConnection } from './forwarded-headers.ts';
import { forwardedTarget } from './forwarded-target.ts';
import type { RemoteApi } from './remote-api.ts';

const NOTHING = new Uint8Array();
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;
const UNKNOWN_STATUS = 'the backend answered with a status that HTTP does not have:';
const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';

/**
 * Responds with the response of the backend, whatever it is, as a stream. Refuses redirects, which could lead clients
 * with their credentials anywhere, and statuses that no client can read.
 */
export async function forwardRequest(
  backends: BackendClient,
  api: RemoteApi,
  state: RequestState,
): Promise<ApiResponse> {
  if (!api.isAvailable) return unavailable();
  const problem = pathProblem(state.request.path) ?? userProblem(state.user);
  if (problem !== undefined) return textResponse(400, `${problem}\n`);
  const target = await backends.locate(api).catch(() => undefined);
  if (target === undefined) return unavailable();
  const { request } = state;
  const { method, body, signal } = request;
  const headers = forwardedHeaders(state);
  const upgrade = upgradeHeaders(request);
  // Compress between the servers, whether or not the client accepts that.
  const isOwnGzip = headers['accept-encoding'] === undefined && headers.range === undefined && method !== 'HEAD';
  try {
    const answer = await backends.send(target, {
      method,
      path: forwardedTarget(request),
      headers: { ...headers, ...(isOwnGzip && { 'accept-encoding': 'gzip' }), ...upgrade },
      body,
      signal,
    });
    const { socket, head = NOTHING } = answer;
    if (socket !== undefined) return upgradedTo(answer, { socket, head });
    if (answer.status < 200 || answer.status > 599) return refuse(answer, `${UNKNOWN_STATUS} ${answer.status}`);
    return isRedirect(answer) ? refuse(answer, REDIRECTED) : responseOf(answer, isOwnGzip);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutboundError) return { ...textResponse(502, `${error.message}\n`), isProxyResponse: true };
    return textResponse(503, `error trying to reach service: ${describeTransportError(error)}\n`);
  }
}

function unavailable(): ApiResponse {
  return textResponse(503, 'service unavailable\n');
}

/**
 * Returns the reason why a path is not forwarded: the backend must see the path that was authorized, however it reads
 * paths.
 */
function pathProblem(path: string): string | undefined {
  const text = decodePercent(path);
  if (text === undefined) return 'the path must be UTF-8';
  const climbs = text.split('/').some((segment) => segment === '.' || segment === '..');
  return climbs ? 'the path must not have . or .. segments' : undefined;
}

function userProblem(user: UserInfo): string | undefined {
  if (fitsInHeaders(user)) return undefined;
  return 'the name, uid, groups and extra values of the user must not have control characters or spaces around them';
}

/** Forwarded only when the client's connection can be upgraded. */
function upgradeHeaders(request: ApiRequest): OutgoingHttpHeaders {
  const upgrade = headerOf(request, 'upgrade');
  return request.canUpgrade && upgrade !== undefined ? { connection: 'Upgrade', upgrade } : {};
}

/** Has no body: the two ends talk to each other from here on. */
function upgradedTo(answer: OutboundResponse, upgraded: NonNullable<ApiResponse['upgraded']>): ApiResponse {
  const { 'content-length': _length, ...headers } = responseOf(answer, false).headers;
  const { upgrade = '' } = answer.headers;
  return { status: 101, headers: { ...headers, connection: 'Upgrade', upgrade }, body: NOTHING, upgraded };
}

function isRedirect({ status, headers }: OutboundResponse): boolean {
  return status >= 300 && status <= 399 && headers.location !== undefined;
}

function refuse({ body }: OutboundResponse, message: string): ApiResponse {
  body.destroy();
  return { status: 502, headers: {}, body: Buffer.from(message), isProxyResponse: true };
}

function responseOf(answer: OutboundResponse, isOwnGzip: boolean): ApiResponse {
  const { status, headers: answered } = answer;
  const unzip = isOwnGzip && answered['content-encoding'] === 'gzip';
  const headers: ApiResponse['headers'] = {};
  const named = namedInConnection(answered.connection);
  for (const [name, value] of Object.entries(answered)) {
    if (value === undefined || HOP_BY_HOP.has(name) || named.has(name)) continue;
    if (unzip && (name === 'content-encoding' || name === 'content-length')) continue;
    headers[name] = value;
  }
  if (status === NO_CONTENT) delete headers['content-length'];
  const hasNoBody = status === NO_CONTENT || status === NOT_MODIFIED;
  const body = hasNoBody ? withoutBody(answer) : new ResponseBody(answer, { unzip });
  return { status, headers, body, isProxyResponse: true };
}

/** Yields nothing, for a response that has no body by HTTP. Aborts a backend that sends one all the same. */
async function* withoutBody({ body }: OutboundResponse): AsyncGenerator<Uint8Array> {
  body.once('error', () => {});
  body.once('data', () => body.destroy());
}
