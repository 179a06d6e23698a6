import type { Transport } from '@pintle/client';
import type { BuiltinControllerOptions } from '@pintle/controllers';
import type { MemoryDisk } from '@pintle/store';

/** Who makes a request. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

export const ADMIN: User = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** The server behind a plane. */
export interface Backend {
  /** Where the server is. What is not `memory` has a clock of its own. */
  readonly kind: 'memory' | 'existing cluster' | 'binaries';
  connect(user: User): Transport;
  /** Makes the server reachable from outside, and gives its address. */
  listen(options: ListenOptions): Promise<string>;
  /** For a server that can be reached. */
  kubeconfig(user: User): Promise<string>;
  /** What built-in controllers need of the server besides its API. */
  controllerOptions(): BuiltinControllerOptions;
  /** What the store holds now; only what is in memory can tell. */
  copy?(): MemoryDisk;
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Name of all clients from outside in the request log. Default: the first word of their user agent. */
  readonly actor?: string;
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** With the groups that Kubernetes puts everybody of the name into. */
export function userOf(name: string, groups: readonly string[] = []): User {
  const namespace = SERVICE_ACCOUNT.exec(name)?.[1];
  const accounts = namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return { username: name, groups: [...new Set([...groups, ...accounts, 'system:authenticated'])] };
}
