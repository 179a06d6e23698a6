import type { Event } from '../../../generated/core/v1.ts';
import type { Event as NewEvent } from '../../../generated/events/v1.ts';

/** Converts an event to the core group. Shares everything but the outermost object. */
export function toCoreEvent(event: NewEvent): Event {
  const { regarding, note, reportingController, reportingInstance, eventTime, ...rest } = event;
  const { deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp, deprecatedCount, ...common } = rest;
  return {
    ...common,
    apiVersion: 'v1',
    involvedObject: regarding ?? {},
    ...(note !== undefined && { message: note }),
    source: deprecatedSource ?? {},
    firstTimestamp: deprecatedFirstTimestamp ?? null,
    lastTimestamp: deprecatedLastTimestamp ?? null,
    ...(deprecatedCount !== undefined && { count: deprecatedCount }),
    eventTime: eventTime ?? null,
    reportingComponent: reportingController ?? '',
    reportingInstance: reportingInstance ?? '',
  };
}

/** Converts an event to `events.k8s.io`. */
export function toNewEvent(event: Event): NewEvent {
  const { involvedObject, message, reportingComponent, reportingInstance, eventTime, ...rest } = event;
  const { source, firstTimestamp, lastTimestamp, count, series, ...common } = rest;
  return {
    ...common,
    apiVersion: 'events.k8s.io/v1',
    eventTime: (eventTime ?? null) as NewEvent['eventTime'],
    regarding: involvedObject,
    ...(message !== undefined && { note: message }),
    ...(series !== undefined && { series: series as NonNullable<NewEvent['series']> }),
    deprecatedSource: source ?? {},
    deprecatedFirstTimestamp: firstTimestamp ?? null,
    deprecatedLastTimestamp: lastTimestamp ?? null,
    ...(count !== undefined && { deprecatedCount: count }),
    ...(reportingComponent && { reportingController: reportingComponent }),
    ...(reportingInstance && { reportingInstance }),
  };
}
