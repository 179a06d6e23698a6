import type { ApiRequest, Peer } from '@pintle/apiserver';
import { alterRequest } from '@pintle/apiserver/request';

/**
 * Header in which a worker names the client of a request that it passes on. Only the private socket of the main process reads
 * it; workers drop what clients send under this name.
 */
export const PEER_HEADER = 'pintle-peer';

/** Header of responses to workers that tells what becomes of the client's connection. */
export const CONNECTION_HEADER = 'pintle-connection';

export function encodePeer({ address, reachedAt, certificate }: Peer): string {
  const encoded = certificate && Buffer.from(certificate).toString('base64');
  return Buffer.from(JSON.stringify({ address, reachedAt, certificate: encoded })).toString('base64url');
}

/** Returns the request with the client that the header names. Throws when the header is missing. */
export function withForwardedPeer(request: ApiRequest): ApiRequest {
  const { [PEER_HEADER]: text, ...headers } = request.headers;
  if (typeof text !== 'string') throw new Error('Cannot serve a forwarded request: its client is not named');
  const { address, reachedAt, certificate } = JSON.parse(Buffer.from(text, 'base64url').toString());
  const peer: Peer = {
    address,
    ...(reachedAt && { reachedAt }),
    ...(certificate && { certificate: Buffer.from(certificate, 'base64') }),
  };
  return alterRequest(request, { headers, peer });
}
