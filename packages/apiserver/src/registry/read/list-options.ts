import type { FieldError } from '@pintle/machinery/errors';
import { badRequestError, forbidden, notSupported } from '@pintle/machinery/errors';
import type { CompiledLabelSelector } from '@pintle/machinery/selectors';
import { parseLabelSelector } from '@pintle/machinery/selectors';
import { isTrue } from '../../request/request-info.ts';
import { readInteger, refuse } from '../../resource/options.ts';

export type ResourceVersionMatch = 'Exact' | 'NotOlderThan';

/** Options of a list, watch or deletecollection. */
export interface ListOptions {
  readonly labelSelector: CompiledLabelSelector | undefined;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continueToken: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: ResourceVersionMatch | '';
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

const MATCHES = ['Exact', 'NotOlderThan', ''];

export function readListOptions(query: URLSearchParams, { isWatch }: { readonly isWatch: boolean }): ListOptions {
  const options = {
    labelSelector: readLabelSelector(query.get('labelSelector')),
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: readInteger(query, 'limit') ?? 0,
    continueToken: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: (query.get('resourceVersionMatch') ?? '') as ListOptions['resourceVersionMatch'],
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined,
    timeoutSeconds: readInteger(query, 'timeoutSeconds'),
  };
  refuse('ListOptions', isWatch ? checkWatch(options) : checkList(options));
  return options;
}

function readLabelSelector(text: string | null): CompiledLabelSelector | undefined {
  if (text === null || text === '') return undefined;
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw badRequestError(error instanceof Error ? error.message : String(error));
  }
}

function checkList({
  resourceVersionMatch: match,
  resourceVersion,
  continueToken,
  sendInitialEvents,
}: ListOptions): FieldError[] {
  const path = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (match !== '') {
    if (resourceVersion === '') errors.push(forbidden(path, `${path} is forbidden unless resourceVersion is provided`));
    if (continueToken !== '') errors.push(forbidden(path, `${path} is forbidden when continue is provided`));
    if (!MATCHES.includes(match)) errors.push(notSupported(path, match, MATCHES));
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(forbidden(path, `${path} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (sendInitialEvents !== undefined) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function checkWatch(options: ListOptions): FieldError[] {
  const { resourceVersionMatch: match, resourceVersion, continueToken, sendInitialEvents } = options;
  const path = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbidden(path, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      errors.push(forbidden(path, `${path} is forbidden for watch unless sendInitialEvents is provided`));
    }
    if (match !== 'NotOlderThan') errors.push(notSupported(path, match, ['NotOlderThan']));
  }
  // A watch without a version, or from version 0, begins with the existing objects.
  const beginsWithAll = sendInitialEvents === undefined && (resourceVersion === '' || resourceVersion === '0');
  if (continueToken !== '' && (match !== '' || beginsWithAll)) {
    errors.push(forbidden(path, `${path} is forbidden when continue is provided`));
  }
  return errors;
}
