import { ApiServer, inProcess } from '@pintle/apiserver';
import { type Clock, SeededRandom, SteppedClock } from '@pintle/async';
import { Client, discover, type Transport } from '@pintle/client';
import type { MetricsSource } from '@pintle/controllers';
import { addBuiltinControllers, addSimulatedNodes } from '@pintle/controllers';
import { ConfigMap } from '@pintle/kinds/core/v1';
import { Manager } from '@pintle/operator';
import { openMemoryStore } from '@pintle/store';

const ADMIN = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** A control plane inside the test: a server, the controllers that were named, and a clock that stands still. */
export interface Plane extends AsyncDisposable {
  readonly client: Client;
  readonly clock: SteppedClock;
  readonly manager: Manager;
  /** Lets everything run, and time pass, until the promise holds something; fails after a few minutes of its time. */
  eventually<T>(look: () => Promise<T | undefined | false>): Promise<T>;
}

export interface PlaneOptions {
  readonly nodes?: number;
  /** Only controllers set timers, so that months cost what happens in them; nothing beats or expires meanwhile. */
  readonly isQuiet?: boolean;
  /** The controllers' process is gone when it has made so many writes, without hearing of the last; another takes over. */
  readonly diesAtWrite?: number;
  readonly metrics?: MetricsSource;
}

export async function openPlane(
  controllers: readonly string[] = [],
  { nodes = 0, isQuiet = false, diesAtWrite, metrics }: PlaneOptions = {},
): Promise<Plane> {
  const clock = new SteppedClock({ startMs: Date.UTC(2026, 0, 1) });
  const heartbeats = isQuiet ? restingClock(clock) : clock;
  const store = await openMemoryStore({ clock: heartbeats });
  const authenticator = { authenticate: () => undefined };
  const server = await ApiServer.open({ store, clock: heartbeats, random: new SeededRandom(1), authenticator });
  const client = new Client({ transport: { send: inProcess(server, ADMIN), isProbed: true }, clock: heartbeats });
  await loadEverything(client);
  const failures: string[] = [];
  function note(message: string, fields?: object): void {
    failures.push(`${message} ${JSON.stringify(fields)}`);
  }
  const start = (send: Transport['send']): Process => {
    const manager = new Manager({
      client: new Client({
        transport: { send, isProbed: true },
        clock: heartbeats,
        userAgent: 'kube-controller-manager',
      }),
      clock,
      heartbeats,
      random: new SeededRandom(2),
      isFrozen: true,
      log: { info: () => undefined, warn: note, error: note },
    });
    addBuiltinControllers(manager, controllers, { rootCa: 'the root certificate', ...(metrics && { metrics }) });
    if (nodes > 0) addSimulatedNodes(manager, nodes);
    const stop = new AbortController();
    return { manager, stop, running: manager.run({ signal: stop.signal }) };
  };
  const send = inProcess(server, ADMIN);
  const first = start(
    diesAtWrite === undefined
      ? send
      : dyingAt(diesAtWrite, send, () => {
          first.stop.abort();
          processes.push(start(send));
        }),
  );
  const processes = [first];
  return {
    client,
    clock,
    get manager() {
      return processes.at(-1)!.manager;
    },
    async eventually(look) {
      for (let second = 0; second < 300; second++) {
        for (let turn = 0; turn < 10; turn++) {
          const found = await look();
          if (found) return found;
          await new Promise((resolve) => setImmediate(resolve));
        }
        await clock.advance(1_000);
      }
      throw new Error(`It did not happen within 5 minutes. ${failures.slice(-5).join('\n')}`);
    },
    async [Symbol.asyncDispose]() {
      for (const { stop } of processes) stop.abort();
      await Promise.all(processes.map(({ running }) => running));
      await server.close();
      await store.close();
    },
  };
}

interface Process {
  readonly manager: Manager;
  readonly stop: AbortController;
  readonly running: Promise<void>;
}

/** Events are told, not kept: they do not count. */
function dyingAt(write: number, send: Transport['send'], die: () => void): Transport['send'] {
  let writes = 0;
  return async (request) => {
    if (writes >= write) throw new Error('This process is gone');
    const isWrite = request.method !== 'GET' && !request.path.includes('/events');
    if (!isWrite || ++writes < write) return await send(request);
    await send(request);
    die();
    throw new Error('This process is gone');
  };
}

/** The server loads kinds with the first request for them, which takes real time; the clock must not run on meanwhile. */
async function loadEverything(client: Client): Promise<void> {
  const { resources } = await discover(client);
  const isListed = resources.filter(({ verbs }) => verbs.has('list'));
  await Promise.all(isListed.map(({ type }) => client.list(type, { limit: 1, timeoutMs: 1e9 })));
  await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'warm' } }, { dryRun: true });
}

/** Tells the time of the other clock; its own timers never fire. */
function restingClock(clock: Clock): Clock {
  const sleeping = new SteppedClock();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms, options) => sleeping.sleep(ms, options),
    setTimer: (ms, callback) => sleeping.setTimer(ms, callback),
  };
}
