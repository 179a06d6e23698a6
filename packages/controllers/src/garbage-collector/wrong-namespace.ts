import { Event } from '@pintle/kinds/core/v1';
import type { OwnerReference } from '@pintle/machinery';
import { formatTime } from '@pintle/machinery/time';
import type { Manager } from '@pintle/operator';
import type { GraphNode } from './owner-graph.ts';

const COMPONENT = 'garbage-collector-controller';

/** Records an event that an object refers to an owner in another namespace. */
export async function recordWrongNamespace(
  { client, clock, random }: Manager,
  { apiVersion, kind, namespace, name, uid }: GraphNode,
  owner: OwnerReference,
): Promise<void> {
  const time = formatTime(clock.now());
  const reference = `[${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}]`;
  const where = namespace || 'default';
  await client.live.create(Event, {
    metadata: { namespace: where, name: `${name}.${random.uuid().replaceAll('-', '').slice(0, 16)}` },
    involvedObject: { apiVersion, kind, ...(namespace && { namespace }), name, uid },
    reason: 'OwnerRefInvalidNamespace',
    message: `ownerRef ${reference} does not exist in namespace "${namespace}"`,
    type: 'Warning',
    source: { component: COMPONENT },
    reportingComponent: COMPONENT,
    reportingInstance: '',
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  });
}
