import { badRequestError } from '@pintle/machinery/errors';
import { type Fault, refuse } from '../faults/fault.ts';
import type { Faults } from '../faults/faults.ts';
import type { RequestFilter } from '../requests/request-log.ts';
import type { Watches } from './watches.ts';

/**
 * Serves lists as of `resourceVersion` and holds up watches until the result is disposed of. Then all events since arrive, in
 * order.
 */
export function serveStaleReads(
  filter: RequestFilter,
  resourceVersion: string,
  { faults, watches }: { readonly faults: Faults; readonly watches: Watches },
): Disposable {
  const always = { times: Number.POSITIVE_INFINITY };
  const held = [
    faults.inject({ ...filter, verb: 'list' }, listAt(resourceVersion), always),
    // Refuses streaming lists, as a server without them does: the client then lists.
    faults.inject({ ...filter, verb: 'watch' }, plainWatches(), always),
    watches.stall(filter),
  ];
  return { [Symbol.dispose]: () => held.forEach((one) => void one[Symbol.dispose]()) };
}

/** Serves lists as of `resourceVersion`. */
export function listAt(resourceVersion: string): Fault {
  return {
    name: `list at ${resourceVersion}`,
    apply: async ({ request, next }) => {
      const query = new URLSearchParams(request.query);
      if (!query.has('continue')) {
        query.set('resourceVersion', resourceVersion);
        query.set('resourceVersionMatch', 'Exact');
      }
      return await next({ ...request, query: query.toString() });
    },
  };
}

/** Refuses watches that begin with a list, as a server without streaming lists does. */
export function plainWatches(): Fault {
  const refused = refuse(badRequestError('sendInitialEvents is forbidden for watch'));
  return {
    name: 'held back',
    apply: async (exchange) => {
      const isList = new URLSearchParams(exchange.request.query).get('sendInitialEvents') === 'true';
      return await (isList ? refused.apply(exchange) : exchange.next());
    },
  };
}
