import type { Pod } from '@pintle/kinds/core/v1';

export function priorityOf({ spec }: Pod): number {
  return spec?.priority ?? 0;
}
