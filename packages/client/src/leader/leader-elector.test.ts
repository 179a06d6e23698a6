import type { Clock } from '@pintle/async';
import { Gate, onAbort, SeededRandom, SteppedClock } from '@pintle/async';
import { describe, expect, test } from 'vitest';
import { ClientError } from '../errors.ts';
import { compareResourceVersions } from '../informer/resource-version.ts';
import { Client } from '../rest/client.ts';
import type { TransportRequest, TransportResponse } from '../transport/transport.ts';
import { LeaderElector, type LeaderElectorOptions } from './leader-elector.ts';

const lease = { namespace: 'default', name: 'lock' };

/** A server that knows one lease. */
class LeaseServer {
  object:
    | { metadata: { name?: string; namespace?: string; resourceVersion: string }; spec: Record<string, unknown> }
    | undefined;
  isAway = false;
  #version = 0;

  handle({ method, body }: TransportRequest): TransportResponse {
    if (this.isAway) throw new ClientError({ code: 'Unreachable', server: 'here', isSent: false });
    if (method === 'GET') return this.object ? answer(200, this.object) : refuse(404, 'NotFound');
    const given = JSON.parse(Buffer.from(body!).toString());
    if (method === 'POST' ? this.object : !this.object) {
      return method === 'POST' ? refuse(409, 'AlreadyExists') : refuse(404, 'NotFound');
    }
    if (method === 'PUT' && given.metadata.resourceVersion !== this.object?.metadata.resourceVersion)
      return refuse(409, 'Conflict');
    this.object = { ...given, metadata: { ...given.metadata, resourceVersion: `${++this.#version}` } };
    return answer(200, this.object!);
  }
}

function answer(status: number, value: object): TransportResponse {
  return { status, headers: {}, body: Buffer.from(JSON.stringify(value)) };
}

function refuse(code: number, reason: string): TransportResponse {
  return answer(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code });
}

describe('one candidate', () => {
  function start(options: Partial<LeaderElectorOptions> = {}) {
    const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
    const server = new LeaseServer();
    const client = new Client({ transport: { send: async (request) => server.handle(request) }, clock });
    const elector = new LeaderElector({ client, lease, identity: 'a', clock, random: new SeededRandom(1), ...options });
    return { clock, server, elector, client, stop: new AbortController() };
  }
  const untilAborted = ({ signal }: { signal: AbortSignal }) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

  test('leads at once where there is no lease, renews, and gives back when cancelled', async () => {
    const { clock, server, elector, stop } = start();
    const running = elector.run(untilAborted, { signal: stop.signal });
    await clock.advance(0);
    expect(elector.isLeader).toBe(true);
    const began = '2026-01-01T00:00:00.000000Z';
    const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0, acquireTime: began };
    expect(server.object?.spec).toEqual({ ...spec, renewTime: began });
    await clock.advance(60_500);
    expect(server.object?.spec).toEqual({ ...spec, renewTime: '2026-01-01T00:01:00.000000Z' });
    stop.abort();
    await running;
    expect(elector.isLeader).toBe(false);
    expect(server.object?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect(clock.pendingTimers).toBe(0);
  });

  test('stops leading when it cannot renew, before anybody else may lead', async () => {
    const { clock, server, elector, stop } = start();
    let endedAt = 0;
    const lead = async (leadership: { signal: AbortSignal }) => {
      await untilAborted(leadership);
      endedAt = clock.monotonic();
    };
    const lost = expect(elector.run(lead, stop)).rejects.toMatchObject({ failure: { code: 'LeaseLost' } });
    await clock.advance(5_000);
    server.isAway = true;
    await clock.advance(60_000);
    await lost;
    expect(endedAt).toBe(14_000);
  });

  test('stops leading when another took the lease', async () => {
    const { clock, server, elector, stop } = start();
    const lost = expect(elector.run(untilAborted, stop)).rejects.toMatchObject({ failure: { code: 'LeaseLost' } });
    await clock.advance(1_000);
    server.object!.spec.holderIdentity = 'b';
    server.object!.metadata.resourceVersion = '99';
    await clock.advance(1_000);
    await lost;
    expect(elector.leader).toBe('b');
    expect(server.object?.spec.holderIdentity).toBe('b');
  });

  test('goes on leading when others write labels', async () => {
    const { clock, server, elector, stop } = start();
    const running = elector.run(untilAborted, stop);
    await clock.advance(1_000);
    server.object = { ...server.object!, metadata: { ...server.object!.metadata, resourceVersion: '99' } };
    await clock.advance(60_000);
    expect(elector.isLeader).toBe(true);
    stop.abort();
    await running;
  });

  test('waits for a leader that is silent as long as its lease lasts, whatever the times in it say', async () => {
    const seen: string[] = [];
    const { clock, server, elector, stop } = start({ onNewLeader: (identity) => seen.push(identity) });
    const spec = {
      holderIdentity: 'b',
      leaseDurationSeconds: 20,
      leaseTransitions: 4,
      renewTime: '1990-01-01T00:00:00.000000Z',
    };
    server.object = { metadata: { ...lease, resourceVersion: '1' }, spec };
    let term: object | undefined;
    const lead = (leadership: { signal: AbortSignal }) => {
      term = leadership;
      return untilAborted(leadership);
    };
    const running = elector.run(lead, stop);
    await clock.advance(19_999);
    expect(elector.isLeader).toBe(false);
    await clock.advance(5_000);
    expect(elector.isLeader).toBe(true);
    expect(term).toMatchObject({ leaseTransitions: 5, fencingToken: '1' });
    expect(seen).toEqual(['b', 'a']);
    stop.abort();
    await running;
  });

  test('that has done its work gives back the lease; that failed says so', async () => {
    const { server, elector, stop } = start();
    await elector.run(async () => undefined, stop);
    expect(server.object?.spec.holderIdentity).toBe('');
    const failing = elector.run(async () => Promise.reject(new Error('broken')), stop);
    await expect(failing).rejects.toThrow('broken');
    expect(server.object?.spec.holderIdentity).toBe('');
  });

  test('tells what keeps it from leading', async () => {
    const errors: unknown[] = [];
    const { clock, server, elector, stop } = start({ onError: (error) => errors.push(error) });
    server.isAway = true;
    const running = elector.run(untilAborted, stop);
    await clock.advance(1_000);
    expect(errors).toMatchObject([{ failure: { code: 'Unreachable' } }]);
    stop.abort();
    await running;
  });

  test('needs times that fit each other', () => {
    expect(() => start({ renewDeadlineMs: 15_000 })).toThrow(RangeError);
    expect(() => start({ retryPeriodMs: 9_000 })).toThrow(RangeError);
  });
});

/** A machine whose clock runs too fast or too slow, whose network is bad, and which is asleep from time to time. */
class Machine {
  readonly clock: Clock;
  readonly #awake = new Gate({ isOpen: true });
  readonly #base: SteppedClock;

  constructor(base: SteppedClock, { rate, aheadMs }: { readonly rate: number; readonly aheadMs: number }) {
    this.#base = base;
    const setTimer: Clock['setTimer'] = (ms, callback) =>
      base.setTimer(ms / rate, () => void this.#awake.wait().then(callback));
    this.clock = {
      now: () => base.now() * rate + aheadMs,
      monotonic: () => base.monotonic() * rate,
      setTimer,
      sleep: (ms, { signal } = {}) =>
        new Promise((resolve, reject) => {
          const timer = setTimer(ms, () => {
            listener[Symbol.dispose]();
            resolve();
          });
          const listener = onAbort(signal, (reason) => {
            timer.cancel();
            reject(reason);
          });
        }),
    };
  }

  sleep(ms: number): void {
    this.#awake.close();
    this.#base.setTimer(ms, () => this.#awake.open());
  }

  /** Requests take long on their way there and back, and either way may lose them. */
  client(server: LeaseServer, random: SeededRandom): Client {
    const travel = async () => {
      const draw = random.next();
      await this.#base.sleep(draw < 0.05 ? 20_000 * random.next() : draw < 0.3 ? 4_000 * random.next() : 50);
      if (random.next() < 0.08) throw new ClientError({ code: 'Unreachable', server: 'there', isSent: true });
    };
    const send = async (request: TransportRequest): Promise<TransportResponse> => {
      await travel();
      const response = server.handle(request);
      await travel();
      await this.#awake.wait();
      return response;
    };
    return new Client({ transport: { send }, clock: this.clock });
  }
}

test('never do two lead, with bad networks, sleeping machines and clocks that run apart (50 seeds)', async () => {
  let terms = 0;
  for (let seed = 0; seed < 50; seed++) terms += await simulate(seed);
  expect(terms).toBeGreaterThan(200);
});

async function simulate(seed: number): Promise<number> {
  const random = new SeededRandom(seed);
  const base = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
  const server = new LeaseServer();
  const stop = new AbortController();
  const tokens: string[] = [];
  const candidates = [0, 1, 2].map((index) => {
    const machine = new Machine(base, { rate: 0.85 + 0.3 * random.next(), aheadMs: (random.next() - 0.5) * 1e9 });
    const elector = new LeaderElector({
      client: machine.client(server, random),
      lease,
      identity: `candidate-${index}`,
      clock: machine.clock,
      random,
    });
    return { machine, elector, running: compete(elector) };
  });

  async function compete(elector: LeaderElector): Promise<void> {
    while (!stop.signal.aborted) {
      await elector
        .run(async ({ signal, fencingToken }) => {
          tokens.push(fencingToken);
          if (random.next() < 0.3) await base.sleep(30_000 * random.next(), { signal });
          else await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        }, stop)
        .catch((error: unknown) => expect(error).toMatchObject({ failure: { code: 'LeaseLost' } }));
    }
  }

  for (let step = 0; step < 400; step++) {
    await base.advance(500);
    const leaders = candidates.filter(({ elector }) => elector.isLeader).map(({ elector }) => elector.identity);
    expect(leaders.length, `seed ${seed}, ${base.monotonic()} ms: ${leaders} lead`).toBeLessThanOrEqual(1);
    if (random.next() < 0.02) candidates[random.below(3)]!.machine.sleep(40_000 * random.next());
  }
  for (let i = 1; i < tokens.length; i++)
    expect(compareResourceVersions(tokens[i - 1]!, tokens[i]!), `seed ${seed}: ${tokens}`).toBeLessThan(0);
  stop.abort();
  await base.advanceUntil(Promise.all(candidates.map(({ running }) => running)));
  return tokens.length;
}
