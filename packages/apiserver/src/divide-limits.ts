import type { FlowOptions } from './flow/flow-control.ts';
import { FLOW_DEFAULTS } from './flow/flow-control.ts';
import type { ServerLimits } from './http/https-server.ts';
import { DEFAULT_LIMITS } from './http/https-server.ts';
import type { ResponseMemoryOptions } from './request/response-memory.ts';
import { defaultMemoryBytes } from './request/response-memory.ts';

/** Limits of one process of a server. */
export interface DividedLimits {
  readonly flow: FlowOptions;
  readonly responseMemory: ResponseMemoryOptions;
  readonly limits: Partial<ServerLimits>;
}

/** Divides the limits of a server by the number of its processes, so that those of all together stay what they are. */
export function divideLimits(processes: number, flow: FlowOptions = {}): DividedLimits {
  const { isFair, ...numbers } = { ...FLOW_DEFAULTS, ...flow };
  const share = (total: number): number => Math.ceil(total / processes);
  return {
    flow: {
      maxReadOnly: share(numbers.maxReadOnly),
      maxMutating: share(numbers.maxMutating),
      maxWatchesPerUser: share(numbers.maxWatchesPerUser),
      maxWatches: share(numbers.maxWatches),
      ...(isFair !== undefined && { isFair }),
    },
    responseMemory: { maxBytes: Math.floor(defaultMemoryBytes() / processes) },
    limits: { maxConnections: share(DEFAULT_LIMITS.maxConnections) },
  };
}
