import { once } from 'node:events';
import { createServer } from 'node:net';

/** Returns a port of the loopback address that nothing listens on now. */
export async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
