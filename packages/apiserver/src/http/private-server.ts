import { createServer } from 'node:http';
import type { Server } from 'node:tls';
import { guardPlain, http1OptionsOf, type ServerLimits } from './https-server.ts';

/**
 * Creates a server for HTTP/1.1 without TLS, for processes that reach its path: the rights of its folder keep others out. It
 * passes for a TLS server, of which the listener uses only what both have.
 */
export function createPrivateServer(limits: ServerLimits): Server {
  const server = createServer(http1OptionsOf(limits));
  Object.assign(server, http1OptionsOf(limits));
  guardPlain(server, limits);
  return server as unknown as Server;
}
