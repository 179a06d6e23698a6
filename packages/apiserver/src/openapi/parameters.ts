import { table } from '@pintle/machinery/table';
import type { Parameter } from './model.ts';

/** Parameters by the options they belong to, sorted by name. */
export const NAME: readonly Parameter[] = [path('name', 'Name of the object.')];
export const NAMESPACE: readonly Parameter[] = [path('namespace', 'Namespace the object is in.')];
export const PRETTY: readonly Parameter[] = [query('pretty', 'string', "'true' indents the answer.")];
export const PATH: readonly Parameter[] = [path('path', 'Path of the request that is passed on.')];

const resourceVersion = query('resourceVersion', 'string', 'How old the answer may be, or where a watch starts.');
export const VERSION: readonly Parameter[] = [resourceVersion];

const dryRun = query('dryRun', 'string', 'Take all steps of the write but keep nothing. The only value is All.');

const selection: readonly Parameter[] = [
  query('continue', 'string', 'Where the last page of a list ended, as that page said.'),
  query('fieldSelector', 'string', 'Restricts the objects by their fields.'),
  query('labelSelector', 'string', 'Restricts the objects by their labels.'),
  query('limit', 'integer', 'The most objects one answer may have. Further ones are reached by its continue.'),
  resourceVersion,
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'A watch begins with the objects there are and a bookmark after them.'),
  query('shardSelector', 'string', 'Restricts the objects to one part of a set of parts.'),
  query('timeoutSeconds', 'integer', 'How long the request may take, whether or not anything happens.'),
];

const deletion: readonly Parameter[] = [
  dryRun,
  query('gracePeriodSeconds', 'integer', 'How long the object may take to end. 0 means at once.'),
  query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'Delete even what cannot be read, without finalizers and preconditions.',
  ),
  query('orphanDependents', 'boolean', 'Keep what depends on the object. Use propagationPolicy instead.'),
  query('propagationPolicy', 'string', 'What happens to dependents: Orphan, Background or Foreground.'),
];

export const LIST: readonly Parameter[] = sorted([
  query('allowWatchBookmarks', 'boolean', 'A watch may send events that only say how far it has come.'),
  ...selection,
  query('watch', 'boolean', 'Send changes as they happen instead of a list.'),
]);

export const DELETE: readonly Parameter[] = sorted(deletion);
export const DELETE_COLLECTION: readonly Parameter[] = sorted([...selection, ...deletion]);

export const WRITE: readonly Parameter[] = [
  dryRun,
  query('fieldManager', 'string', 'Who makes the change. At most 128 characters, all printable.'),
  query('fieldValidation', 'string', 'What unknown and doubled fields lead to: Ignore, Warn or Strict.'),
];
export const PATCH: readonly Parameter[] = [
  ...WRITE,
  query('force', 'boolean', 'Take over fields that another manager has. Only for apply patches.'),
];

const streams: readonly Parameter[] = [
  query('container', 'string', 'Which container; may be left out when there is one.'),
  query('stderr', 'boolean', 'Whether the error stream is passed on.'),
  query('stdin', 'boolean', 'Whether the input stream is passed on.'),
  query('stdout', 'boolean', 'Whether the output stream is passed on.'),
  query('tty', 'boolean', 'Whether there is a terminal.'),
];
const proxied: readonly Parameter[] = [query('path', 'string', 'Path of the request that is passed on.')];

/** Query parameters of connections, by the kind of their options. */
export const CONNECT: Readonly<Record<string, readonly Parameter[]>> = table({
  PodAttachOptions: streams,
  PodExecOptions: [query('command', 'string', 'What to run, not by a shell.'), ...streams],
  PodPortForwardOptions: [query('ports', 'integer', 'Ports to forward.')],
  PodProxyOptions: proxied,
  ServiceProxyOptions: proxied,
  NodeProxyOptions: proxied,
});

export const LOG: readonly Parameter[] = [
  query('container', 'string', 'Which container; may be left out when there is one.'),
  query('follow', 'boolean', 'Go on sending what is written.'),
  query('insecureSkipTLSVerifyBackend', 'boolean', 'Trust whatever certificate the node shows.'),
  query('limitBytes', 'integer', 'The most bytes to send.'),
  query('previous', 'boolean', 'Of the container that ran before.'),
  query('sinceSeconds', 'integer', 'Only what was written since so many seconds.'),
  query('stream', 'string', 'Which stream: All, Stdout or Stderr.'),
  query('tailLines', 'integer', 'Only so many lines from the end.'),
  query('timestamps', 'boolean', 'Begin every line with its time.'),
];

/** Sorts by name, and path parameters before query parameters of the same name. */
export function sorted(parameters: readonly Parameter[]): readonly Parameter[] {
  return [...parameters].sort((a, b) => (a.name !== b.name ? (a.name < b.name ? -1 : 1) : a.in < b.in ? -1 : 1));
}

function path(name: string, description: string): Parameter {
  return { name, in: 'path', type: 'string', description };
}

function query(name: string, type: Parameter['type'], description: string): Parameter {
  return { name, in: 'query', type, description };
}
