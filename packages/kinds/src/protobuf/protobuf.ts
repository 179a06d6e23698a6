import type { GroupVersionKind } from '@pintle/machinery';
import type { ProtobufTable } from '@pintle/machinery/protobuf';
import { messages, packageOfGroup } from './generated/messages.ts';

/** The messages of all built-in groups, including those that are no longer served. */
export const protobufTable: ProtobufTable = messages;

const metaPackage = 'k8s.io.apimachinery.pkg.apis.meta.v1';

/** The kinds of `meta/v1` that every group version has. */
const kindsEverywhere: ReadonlySet<string> = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
]);

/** The kinds of `meta/v1` that are served in the core group or in meta.k8s.io. */
const kindsOfMeta: ReadonlySet<string> = new Set([
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
  'Status',
  'TableOptions',
]);

/** Returns the message of a kind; `undefined` for custom resources and for kinds without a protobuf form. */
export function messageNameOf({ group, version, kind }: GroupVersionKind): string | undefined {
  if (kindsEverywhere.has(kind)) return `${metaPackage}.${kind}`;
  if (kindsOfMeta.has(kind) && (group === '' || group === 'meta.k8s.io')) return `${metaPackage}.${kind}`;
  if (!Object.hasOwn(packageOfGroup, group)) return undefined;
  const name = `${packageOfGroup[group]}.${version}.${kind}`;
  return Object.hasOwn(messages, name) ? name : undefined;
}
