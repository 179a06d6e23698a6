import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { EventSource, ObjectReference } from '../core/v1.ts';
import type { MicroTime, Time } from '../meta/v1.ts';

export interface Event extends KubernetesObject {
  action?: string;
  deprecatedCount?: number;
  deprecatedFirstTimestamp?: Time | null;
  deprecatedLastTimestamp?: Time | null;
  deprecatedSource?: EventSource;
  eventTime: MicroTime;
  note?: string;
  reason?: string;
  regarding?: ObjectReference;
  related?: ObjectReference;
  reportingController?: string;
  reportingInstance?: string;
  series?: EventSeries;
  type?: string;
}
export const Event: ResourceType<Event, 'Namespaced'> = /* @__PURE__ */ resourceType<Event, 'Namespaced'>({ group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced', shortNames: ['ev'] });

export type EventList = KubernetesList<Event>;

export interface EventSeries {
  count: number;
  lastObservedTime: MicroTime;
}
