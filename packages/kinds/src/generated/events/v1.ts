import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { EventSource, ObjectReference } from '../core/v1.ts';
import type { MicroTime, Time } from '../meta/v1.ts';

/** A report of something that happened to an object. Events are kept for a limited time only. */
export interface Event extends KubernetesObject {
  /**
   * Says what was done to the object, or failed, as a CamelCase word of at most 128 characters. New events require it.
   * It cannot change after creation.
   */
  action?: string;
  /**
   * How often the event happened, as `count` of core/v1. It cannot change after creation.
   * @deprecated See `series` instead.
   */
  deprecatedCount?: number;
  /**
   * When the event was first seen, as `firstTimestamp` of core/v1. It cannot change after creation.
   * @deprecated See `eventTime` instead.
   */
  deprecatedFirstTimestamp?: Time | null;
  /**
   * When the event was last seen, as `lastTimestamp` of core/v1. It cannot change after creation.
   * @deprecated See `series` instead.
   */
  deprecatedLastTimestamp?: Time | null;
  /**
   * The component that reports the event, as `source` of core/v1. It cannot change after creation.
   * @deprecated See `reportingController` instead.
   */
  deprecatedSource?: EventSource;
  /** When the event was first seen, to the microsecond. It cannot change after creation. */
  eventTime: MicroTime;
  /** A description of what happened, for people, at most 1 kB. It cannot change after creation. */
  note?: string;
  /**
   * Why the event happened, as a CamelCase word of at most 128 characters. New events require it. It cannot change
   * after creation.
   */
  reason?: string;
  /** The object that the event is about. It must be in the event's namespace. It cannot change after creation. */
  regarding?: ObjectReference;
  /** A second object that the event is about, if the action concerns two. It cannot change after creation. */
  related?: ObjectReference;
  /**
   * The controller that reports the event, as `example.com/controller`. New events require it. It cannot change after
   * creation.
   */
  reportingController?: string;
  /**
   * The instance of the controller that reports the event, at most 128 characters. New events require it. It cannot
   * change after creation.
   */
  reportingInstance?: string;
  /** How often and when a repeated event was last seen. It is absent for a single one. */
  series?: EventSeries;
  /** The severity of the event, either `Normal` or `Warning`. It cannot change after creation. */
  type?: string;
}
export const Event: ResourceType<Event, 'Namespaced'> = /* @__PURE__ */ resourceType<Event, 'Namespaced'>({ group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced', shortNames: ['ev'] });

/** A list of Events. */
export type EventList = KubernetesList<Event>;

/** How often a repeated event was seen. */
export interface EventSeries {
  /** How often the event was seen up to `lastObservedTime`, at least 2. */
  count: number;
  /** When the event was last seen. */
  lastObservedTime: MicroTime;
}
