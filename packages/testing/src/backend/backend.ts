import type { Transport } from '@pintle/client';

/** Who makes a request. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

export const ADMIN: User = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

/** The server behind a plane. */
export interface Backend {
  /** Where the server is. What is not `memory` is shared with others, or outside of the plane's clock, or both. */
  readonly kind: 'memory' | 'existing cluster' | 'binaries';
  connect(user: User): Transport;
  close(): Promise<void>;
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** With the groups that Kubernetes puts everybody of the name into. */
export function userOf(name: string, groups: readonly string[] = []): User {
  const namespace = SERVICE_ACCOUNT.exec(name)?.[1];
  const accounts = namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return { username: name, groups: [...new Set([...groups, ...accounts, 'system:authenticated'])] };
}
