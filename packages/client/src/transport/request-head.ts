import { ClientError } from '../errors.ts';
import { isHeaderValue, isTarget, isToken } from './header-syntax.ts';
import type { TransportRequest } from './transport.ts';

/** What an HTTP/1.1 request begins with. Throws when something of it would be read as something else. */
export function requestHeadOf({ method, headers, body }: TransportRequest, target: string, server: URL): string {
  const length = body?.length ?? (BODIED.has(method) ? 0 : undefined);
  const all = { host: server.host, ...headers, ...(length !== undefined && { 'content-length': `${length}` }) };
  if (!isToken(method)) throw unfit(method);
  if (!isTarget(target)) throw unfit(target);
  let head = `${method} ${target} HTTP/1.1\r\n`;
  for (const [name, values] of Object.entries(all)) {
    for (const value of typeof values === 'string' ? [values] : values) {
      if (!isToken(name) || !isHeaderValue(value)) throw unfit(name);
      head += `${name}: ${value}\r\n`;
    }
  }
  return `${head}\r\n`;
}

/** A request of these without a body says so. */
const BODIED = new Set(['POST', 'PUT', 'PATCH']);

export function unfit(text: string): ClientError {
  return new ClientError({ code: 'Unsupported', what: `what no request can say, ${JSON.stringify(text)}` });
}
