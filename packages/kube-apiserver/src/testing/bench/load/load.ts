import type { Connection, LoadAnswer, LoadRequest, Protocol, Target } from './connection.ts';
import { Http1Connection } from './http1-connection.ts';
import { Http2Connection } from './http2-connection.ts';

const STREAMS_PER_CONNECTION = 16;

/** Opens enough connections for that many requests in flight. */
export async function connectAll(target: Target, protocol: Protocol, inFlight: number): Promise<Connection[]> {
  if (protocol === 'http/1.1') {
    return await Promise.all(Array.from({ length: inFlight }, () => Http1Connection.open(target)));
  }
  const streams = Math.min(inFlight, STREAMS_PER_CONNECTION);
  const count = Math.ceil(inFlight / streams);
  return await Promise.all(Array.from({ length: count }, () => Http2Connection.open(target, streams)));
}

export interface Outcome {
  readonly perSecond: number;
  /** Sorted, in milliseconds. */
  readonly latencies: readonly number[];
  readonly bytes: number;
}

/** Keeps every connection busy for a while. Throws when a response is not a success. */
export async function runLoad(
  connections: readonly Connection[],
  durationMs: number,
  next: () => LoadRequest,
): Promise<Outcome> {
  const latencies: number[] = [];
  let bytes = 0;
  const began = performance.now();
  const end = began + durationMs;
  const work = async (connection: Connection): Promise<void> => {
    for (let sent = performance.now(); sent < end; sent = performance.now()) {
      const answer = await connection.send(next());
      check(answer);
      latencies.push(performance.now() - sent);
      bytes += answer.bytes;
    }
  };
  await Promise.all(
    connections.flatMap((connection) => Array.from({ length: connection.streams }, () => work(connection))),
  );
  const seconds = (performance.now() - began) / 1000;
  return { perSecond: latencies.length / seconds, latencies: latencies.sort((a, b) => a - b), bytes };
}

function check({ status }: LoadAnswer): void {
  if (status < 200 || status > 299) throw new Error(`Cannot measure: the server answered ${status}`);
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
