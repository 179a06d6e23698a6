import { type FieldError, FieldPath, invalid, required } from '@pintle/machinery/errors';
import { byteLength, validateDns1123Subdomain, validateQualifiedName } from '@pintle/machinery/names';
import type { Finding, Printer, ResourceRules } from '@pintle/machinery/rules';
import { formatAge } from '@pintle/machinery/time';
import type { Event } from '../../../generated/core/v1.ts';
import type { Event as NewEvent } from '../../../generated/events/v1.ts';
import { type Check, checkUnchanged, collect, problems } from '../../common/checks.ts';
import { goForm } from '../../common/go-form/go-form.ts';
import { column, nameOf, wideColumn } from '../../common/printers.ts';
import { toCoreEvent } from './event-conversion.ts';

const printer: Printer<Event> = {
  columns: [
    column('Last Seen'),
    column('Type'),
    column('Reason'),
    column('Object'),
    wideColumn('Subobject'),
    wideColumn('Source'),
    column('Message'),
    wideColumn('First Seen'),
    wideColumn('Count'),
    { name: 'Name', type: 'string', format: 'name', priority: 1 },
  ],
  row: (event, { nowMs }) => {
    const { involvedObject: object = {}, series } = event;
    const first = event.firstTimestamp ?? event.eventTime;
    const kind = (object.kind ?? '').toLowerCase();
    return [
      formatAge(series === undefined ? (event.lastTimestamp ?? first) : series.lastObservedTime, nowMs),
      event.type ?? '',
      event.reason ?? '',
      object.name ? `${kind}/${object.name}` : kind,
      object.fieldPath ?? '',
      formatSource(event),
      (event.message ?? '').trim(),
      formatAge(first, nowMs),
      series === undefined ? event.count || 1 : (series.count ?? 0),
      nameOf(event),
    ];
  },
};

export const eventRules: ResourceRules<Event> = {
  metadataChecks: [],
  createOnUpdate: true,
  validate: (event) => collect(checkEvent(event, 'reportingComponent')),
  validateUpdate: (next) => collect(checkEvent(next, 'reportingComponent')),
  selectableFields: (event) => selectableFields(event, 'involvedObject'),
  printer,
};

/** The same objects in `events.k8s.io`, where more is required and little may change. Errors name the older fields. */
export const newEventRules: ResourceRules<NewEvent> = {
  createOnUpdate: true,
  validate: (event) => strictErrors(toCoreEvent(event)),
  validateUpdate: (next, previous) => changeErrors(toCoreEvent(next), toCoreEvent(previous)),
  selectableFields: (event) => selectableFields(toCoreEvent(event), 'regarding'),
  printer: { columns: printer.columns, row: (event, context) => printer.row(toCoreEvent(event), context) },
};

function formatSource({ source, reportingComponent, reportingInstance }: Event): string {
  const [component, instance] = [source?.component || reportingComponent, source?.host || reportingInstance];
  return instance ? `${component ?? ''}, ${instance}` : (component ?? '');
}

function selectableFields(event: Event, prefix: 'involvedObject' | 'regarding'): Record<string, string> {
  const { involvedObject: object = {}, reportingComponent = '' } = event;
  const own: Record<string, string> =
    prefix === 'regarding'
      ? { reportingController: reportingComponent }
      : { reportingComponent, source: event.source?.component || reportingComponent };
  for (const field of ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const)
    own[`${prefix}.${field}`] = object[field] ?? '';
  return { ...own, reason: event.reason ?? '', type: event.type ?? '' };
}

const limits = { text: 128, message: 1024 };

/** Events with `eventTime` follow the newer rules, whichever group they are written to. */
function* checkEvent(event: Event, controllerField: string): Check {
  if (event.eventTime) yield* checkNewEvent(event, controllerField);
  else yield* checkOldNamespace(event);
  const { namespace = '' } = event.metadata;
  yield* problems(FieldPath.of('namespace'), namespace, validateDns1123Subdomain(namespace));
}

function* checkOldNamespace({ involvedObject, metadata }: Event): Check {
  const { namespace = '' } = involvedObject;
  const isElsewhere = namespace === '' ? metadata.namespace !== 'default' : namespace !== metadata.namespace;
  if (isElsewhere) yield namespaceMismatch(namespace);
}

function* checkNewEvent(event: Event, controllerField: string): Check {
  const { involvedObject, metadata, reportingComponent = '', reportingInstance = '', action = '', reason = '' } = event;
  if (!involvedObject.namespace && !['default', 'kube-system'].includes(metadata.namespace ?? ''))
    yield namespaceMismatch('');
  const path = FieldPath.of(controllerField);
  if (reportingComponent === '') yield required(path);
  yield* problems(path, reportingComponent, validateQualifiedName(reportingComponent));
  for (const [field, text] of Object.entries({ reportingInstance, action, reason })) {
    if (text === '') yield required(field);
    yield* checkLength(field, text, limits.text);
  }
  yield* checkLength('message', event.message ?? '', limits.message);
}

function* checkLength(field: string, text: string, max: number): Check {
  if (byteLength(text) > max) yield invalid(field, '', `can have at most ${max} characters`);
}

function namespaceMismatch(namespace: string): FieldError {
  return invalid('involvedObject.namespace', namespace, 'does not match event.namespace');
}

function strictErrors(event: Event): FieldError[] {
  const errors = [...checkEvent(event, 'reportingController'), ...checkSeries(event)];
  if (!event.eventTime) errors.push(required('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.push(invalid('type', '', `has invalid value: ${event.type ?? ''}`));
  const { source } = event;
  const outdated = {
    firstTimestamp: event.firstTimestamp,
    lastTimestamp: event.lastTimestamp,
    count: event.count,
    source: source?.component || source?.host,
  };
  for (const [field, value] of Object.entries(outdated))
    if (value) errors.push(invalid(field, '', 'needs to be unset'));
  return errors;
}

function* checkSeries({ series }: Event): Check {
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) yield invalid('series.count', '', 'should be at least 2');
  if (!series.lastObservedTime) yield required('series.lastObservedTime');
}

/** `reason` is checked twice, as in Kubernetes. */
const fixedFields = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const;

function changeErrors(next: Event, previous: Event): Finding[] {
  const fieldName = (field: string) => (field === 'reportingComponent' ? 'reportingController' : field);
  return [
    ...checkEvent(next, 'reportingController'),
    'update',
    ...(JSON.stringify(next.series) === JSON.stringify(previous.series) ? [] : checkSeries(next)),
    ...fixedFields.flatMap((field) => [
      ...checkUnchanged(
        FieldPath.of(fieldName(field)),
        next[field] ?? zeroOf(field),
        previous[field] ?? zeroOf(field),
        shownOf(next, field),
      ),
    ]),
  ];
}

function shownOf(event: Event, field: (typeof fixedFields)[number]): unknown {
  const struct = structs[field];
  const value = event[field] ?? zeroOf(field);
  return struct === undefined || value === null ? value : goForm(value as object, struct);
}

const structs: Partial<Record<(typeof fixedFields)[number], string>> = {
  involvedObject: 'core.ObjectReference',
  related: 'core.ObjectReference',
  source: 'core.EventSource',
};

function zeroOf(field: (typeof fixedFields)[number]): unknown {
  switch (field) {
    case 'count':
      return 0;
    case 'source':
      return {};
    case 'firstTimestamp':
    case 'lastTimestamp':
    case 'eventTime':
    case 'related':
      return null;
    default:
      return '';
  }
}
