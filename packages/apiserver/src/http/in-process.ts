import type { ApiRequest, ApiResponse, Peer } from '../request/exchange.ts';
import type { UserInfo } from '../request/user-info.ts';

/** A request from inside the process. Absent parts are empty. */
export interface InProcessRequest extends Partial<Omit<ApiRequest, 'peer' | 'path'>> {
  readonly path: string;
}

export type InProcessTransport = (request: InProcessRequest) => Promise<ApiResponse>;

const NOTHING = new Uint8Array(0);

/**
 * Returns a transport without a socket for one user: every holder of the function acts as that user. Callers must read a
 * streamed body to its end, call the iterator's `return`, or abort the request's signal.
 */
export function inProcess(
  server: { handle(request: ApiRequest): Promise<ApiResponse> },
  user: UserInfo,
): InProcessTransport {
  const peer: Peer = { address: '', user };
  const forever = new AbortController().signal;
  return ({ method = 'GET', path, query = '', headers = {}, body = NOTHING, signal = forever }) =>
    server.handle({ method, path, query, headers, body, signal, peer });
}
