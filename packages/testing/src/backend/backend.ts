import type { Transport } from '@pintle/client';
import type { BuiltinControllerOptions } from '@pintle/controllers';
import type { MemoryDisk } from '@pintle/store';

/** User of a request. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

export const ADMIN: User = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** The server behind a plane. */
export interface Backend {
  /** Kind of the server. Only `memory` uses the plane's clock. */
  readonly kind: 'memory' | 'existing cluster' | 'binaries';
  connect(user: User): Transport;
  /** Makes the server reachable from outside, and returns its address. */
  listen(options: ListenOptions): Promise<string>;
  /** Returns a kubeconfig, and makes the server reachable. */
  kubeconfig(user: User): Promise<string>;
  /** Options for built-in controllers that come from the server. */
  controllerOptions(): BuiltinControllerOptions;
  /** Copies the store; absent when the store is not in memory. */
  copy?(): MemoryDisk;
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Name of all clients from outside in the request log. Default: the first word of their user agent. */
  readonly actor?: string;
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Returns a user with the groups that Kubernetes adds for its name. */
export function userOf(name: string, groups: readonly string[] = []): User {
  const namespace = SERVICE_ACCOUNT.exec(name)?.[1];
  const accounts = namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return { username: name, groups: [...new Set([...groups, ...accounts, 'system:authenticated'])] };
}
