/** User of a request. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const ANONYMOUS: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/** User of requests by the server itself. */
export const LOOPBACK: UserInfo = {
  username: 'system:apiserver',
  groups: ['system:masters', 'system:authenticated'],
};
