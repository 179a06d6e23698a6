export type { ClientFailure } from './errors.ts';
export { ClientError } from './errors.ts';
export type { ClientOptions, Configuration, NewObject } from './rest/client.ts';
export { Client } from './rest/client.ts';
export type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  GetOptions,
  JsonPatchOperation,
  ListOptions,
  Patch,
  SelectOptions,
  WatchOptions,
  WriteOptions,
} from './rest/options.ts';
export type { ObjectRef } from './rest/resource-path.ts';
export { resourcePath } from './rest/resource-path.ts';
export type { WatchEvent } from './rest/watch-event.ts';
export type { TlsOptions } from './transport/dial.ts';
export type { HttpTransportOptions } from './transport/http-transport.ts';
export { HttpTransport } from './transport/http-transport.ts';
export type { Interceptor, Transport, TransportRequest, TransportResponse } from './transport/transport.ts';
export { intercept } from './transport/transport.ts';
