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
  /** See every request before it is tried, and its answer after the last try. */
  readonly interceptors?: readonly Interceptor[];
  /** How requests are tried again. `false`: never. */
  readonly retry?: Omit<RetryOptions, 'clock'> | false;
  /** Default: none, for the server limits its clients by itself. */
  readonly rateLimit?: Omit<RateLimitOptions, 'clock'>;
}

/**
 * A client for the cluster that kubectl would talk to, or the one given. Nothing is sent before its first call. Close
 * it when it is no longer needed:
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
