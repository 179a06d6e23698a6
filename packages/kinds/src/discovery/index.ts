export type {
  BuiltinEndpoint,
  BuiltinGroup,
  BuiltinResource,
  BuiltinSubresource,
  BuiltinVersion,
} from './discovery.ts';
export { builtinGroups, responseKindOf } from './discovery.ts';
