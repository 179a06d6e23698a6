import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Sends a message to the process at the other end of a channel, with a connection to give away. Resolves once it has left;
 * rejects when that process is gone.
 */
export function sendMessage(
  peer: Pick<ChildProcess, 'connected'> & Partial<Pick<ChildProcess, 'send'>>,
  message: object,
  { to, socket }: { readonly to: string; readonly socket?: Socket | undefined },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = (error: Error | null): void => (error ? reject(error) : resolve());
    if (peer.connected && peer.send !== undefined) peer.send(message, socket, undefined, sent);
    else reject(new Error(`Cannot reach ${to}: it is gone`));
  });
}
