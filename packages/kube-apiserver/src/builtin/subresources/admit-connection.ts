import { isTrue } from '@pintle/apiserver/request';
import type { RequestContext } from '@pintle/apiserver/resource';
import { connection } from '@pintle/apiserver/resource';
import { badRequestError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';

/** Runs admission for a CONNECT, before the target is looked up. */
export async function admitConnection(context: RequestContext, kind: string, options: JsonObject): Promise<void> {
  if (context.query.has('dryRun')) throw badRequestError('dryRun is not supported');
  await context.admission.admit(connection(context, kind, options));
}

/** `PodExecOptions` or `PodAttachOptions`; the latter has no command. */
export function streamOptions({ query }: RequestContext, action: 'exec' | 'attach'): JsonObject {
  const container = query.get('container');
  const command = query.getAll('command');
  return {
    ...(isSet(query, 'stdin') && { stdin: true }),
    ...(isSet(query, 'stdout') && { stdout: true }),
    ...(isSet(query, 'stderr') && { stderr: true }),
    ...(isSet(query, 'tty') && { tty: true }),
    ...(container && { container }),
    ...(action === 'exec' && { command: command.length > 0 ? command : null }),
  };
}

function isSet(query: URLSearchParams, name: string): boolean {
  return query.has(name) && isTrue(query.get(name));
}

/** `PodPortForwardOptions`. */
export function forwardOptions({ query }: RequestContext): JsonObject {
  const ports = query
    .getAll('ports')
    .flatMap((text) => text.split(','))
    .map(Number)
    .filter(Number.isInteger);
  return ports.length > 0 ? { ports } : {};
}

/** `PodProxyOptions`, `ServiceProxyOptions` or `NodeProxyOptions`: the path after `proxy`. */
export function proxyOptions({ info, request }: RequestContext): JsonObject {
  const inner = info.rest.length > 0 ? `/${info.rest.join('/')}` : '';
  const path = request.path.endsWith('/') && !inner.endsWith('/') ? `${inner}/` : inner;
  return path === '' ? {} : { path };
}
