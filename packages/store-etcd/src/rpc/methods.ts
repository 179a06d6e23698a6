import type { Message, Received, Sent } from './message.ts';
import * as messages from './messages.ts';

/** A remote procedure with the codecs of its messages. */
export interface Method<Request, Response> {
  readonly path: string;
  encode(request: Request): Uint8Array;
  decode(bytes: Uint8Array): Response;
}

export const RANGE = method('KV/Range', messages.RangeRequest, messages.RangeResponse);
export const TXN = method('KV/Txn', messages.TxnRequest, messages.TxnResponse);
export const COMPACT = method('KV/Compact', messages.CompactionRequest, messages.CompactionResponse);
export const LEASE_GRANT = method('Lease/LeaseGrant', messages.LeaseGrantRequest, messages.LeaseGrantResponse);
export const LEASE_TIME_TO_LIVE = method(
  'Lease/LeaseTimeToLive',
  messages.LeaseTimeToLiveRequest,
  messages.LeaseTimeToLiveResponse,
);
export const STATUS = method('Maintenance/Status', messages.StatusRequest, messages.StatusResponse);
/** Streams in both directions. */
export const WATCH = method('Watch/Watch', messages.WatchRequest, messages.WatchResponse);

export type KeyValue = Received<typeof messages.KeyValue>;
export type TxnRequest = Sent<typeof messages.TxnRequest>;
export type TxnResponse = Received<typeof messages.TxnResponse>;
export type WatchRequest = Sent<typeof messages.WatchRequest>;
export type WatchResponse = Received<typeof messages.WatchResponse>;

// biome-ignore lint/suspicious/noExplicitAny: messages of any fields.
function method<Request extends Message<any>, Response extends Message<any>>(
  name: string,
  request: Request,
  response: Response,
): Method<Sent<Request>, Received<Response>> {
  return {
    path: `/etcdserverpb.${name}`,
    encode: (value) => request.encode(value),
    decode: (bytes) => response.decode(bytes) as Received<Response>,
  };
}
