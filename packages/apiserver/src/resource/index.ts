export type { AdmissionOperation, AdmissionRequest } from './admission-request.ts';
export { connection, creation } from './admission-request.ts';
export type { Endpoint, EndpointDependencies, Endpoints, RequestContext } from './endpoint.ts';
export { clearSystemMetadata, generatedSuffix } from './object-metadata.ts';
export type { DeleteOptions, WriteOptions } from './options.ts';
export { readInteger, readWriteOptions } from './options.ts';
export type { ResourceLoader } from './resource-registry.ts';
export { ResourceRegistry } from './resource-registry.ts';
export type {
  Allocator,
  ObjectReader,
  ReadOptions,
  ScaleView,
  ServedResource,
  ServedSubresource,
  StorageCodec,
  StorageObject,
} from './served-resource.ts';
export { asObject, groupResourceOf } from './served-resource.ts';
export { longTurns, runInTurns } from './yield-policy.ts';
