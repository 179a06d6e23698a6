import type { Node } from '@pintle/kinds/core/v1';

/** Whether the node says of itself that it is ready. */
export function isNodeReady({ status }: Node): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}
