import type { UserInfo } from '@pintle/apiserver';

const GROUP = 'system:nodes';
const PREFIX = 'system:node:';

/** The node a user is; empty for a node without a name, `undefined` for everybody else. */
export function nodeNameOf({ username, groups }: UserInfo): string | undefined {
  return username.startsWith(PREFIX) && groups.includes(GROUP) ? username.slice(PREFIX.length) : undefined;
}
