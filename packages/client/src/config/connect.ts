import { realClock } from '@pintle/async';
import { Client, type ClientOptions } from '../rest/client.ts';
import { type RateLimitOptions, rateLimit } from '../transport/rate-limit.ts';
import { type RetryOptions, retry } from '../transport/retry.ts';
import type { Interceptor } from '../transport/transport.ts';
import { intercept } from '../transport/transport.ts';
import type { ClientConfig } from './client-config.ts';
import { ConfigTransport } from './config-transport.ts';
import { loadConfig } from './load-config.ts';

export interface ConnectOptions extends Omit<ClientOptions, 'transport'> {
  /** Default: HTTP/2 where the server offers it. */
  readonly protocol?: 'http/1.1';
  /** Called with every request before the first try, and with its response after the last. */
  readonly interceptors?: readonly Interceptor[];
  /** `false` never retries. */
  readonly retry?: Omit<RetryOptions, 'clock'> | false;
  /** Default: no limit; the server has its own (priority and fairness). */
  readonly rateLimit?: Omit<RateLimitOptions, 'clock'>;
}

/**
 * Returns a client for the given cluster, by default the one that kubectl would use. Sends nothing before the first call.
 * The caller closes the client:
 *
 *     await using client = await connect();
 */
export async function connect(config?: ClientConfig, options: ConnectOptions = {}): Promise<Client> {
  const { protocol, interceptors = [], retry: retrying, rateLimit: limit, ...rest } = options;
  const clock = options.clock ?? realClock;
  const transport = new ConfigTransport(config ?? (await loadConfig()), { clock, ...(protocol && { protocol }) });
  const wrapped = intercept(
    transport,
    ...interceptors,
    ...(retrying === false ? [] : [retry({ ...retrying, clock })]),
    ...(limit === undefined ? [] : [rateLimit({ ...limit, clock })]),
  );
  return new Client({ ...rest, transport: wrapped });
}
