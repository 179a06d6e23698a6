import type { ApiRequest, ApiResponse, Peer } from '../request/exchange.ts';
import type { UserInfo } from '../request/user-info.ts';

/** A request from inside the process; what is left out is empty. */
export interface InProcessRequest extends Partial<Omit<ApiRequest, 'peer' | 'path'>> {
  readonly path: string;
}

export type InProcessTransport = (request: InProcessRequest) => Promise<ApiResponse>;

const NOTHING = new Uint8Array(0);

/**
 * The API without a socket, as one user: whoever holds the function is that user, so hand it out with care. Whoever
 * gets a streamed body reads it to its end, calls the iterator's `return`, or aborts the request's signal.
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
