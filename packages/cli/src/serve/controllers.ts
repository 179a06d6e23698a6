import { hostname } from 'node:os';
import { inProcess } from '@pintle/apiserver';
import { type Runnable, realClock, systemRandom, TurnQueue } from '@pintle/async';
import type { PodBehaviour } from '@pintle/controllers';
import type { ControllerName } from '@pintle/controllers/names';
import type { KubeApiServer } from '@pintle/kube-apiserver';
import type { KeyPair } from '@pintle/pki';
import type { LateNodes } from './late-nodes.ts';
import type { Log } from './log.ts';

export interface ControllersOptions {
  /** The controllers that run. Without any, nobody holds the lease of kube-controller-manager. */
  readonly choices: readonly ControllerName[];
  /** How many nodes run pods. */
  readonly nodes: number;
  /** What runs on them: nothing, which is the default, or processes of this machine. */
  readonly kubelet?: Kubelet;
  /** How long containers of Jobs run on simulated nodes whose command does not say. Default: 1 s. */
  readonly jobRunForMs?: number;
  /** Who signed the server's certificate, and signs those that clients ask for. */
  readonly authority: KeyPair;
  /** Where the controllers' metrics and probes are served. Default: nowhere. */
  readonly metrics?: { readonly host: string; readonly port: number } | undefined;
}

export type Kubelet = 'simulated' | 'process';

/**
 * As kube-controller-manager has it. The store is this process's alone, so whoever held the lease before is gone: under
 * the same name it is taken at once, and renewed seldom.
 */
const LEADER_ELECTION = {
  namespace: 'kube-system',
  name: 'kube-controller-manager',
  identity: 'pintle',
  leaseDurationMs: 60_000,
  renewDeadlineMs: 40_000,
  retryPeriodMs: 15_000,
};
/** Where other servers have controllers too: whoever is gone is replaced as soon as in Kubernetes. */
const SHARED_LEADER_ELECTION = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
/** As long as kube-controller-manager leaves a deleted namespace as it is: whoever deletes one still finds it there. */
const NAMESPACE_GRACE_MS = 5_000;
const USER = { username: 'system:kube-controller-manager', groups: ['system:masters', 'system:authenticated'] };

interface ControllersGround {
  readonly log: Log;
  readonly connections: LateNodes;
  /** Other processes have servers over the same objects, and perhaps controllers. */
  readonly isShared: boolean;
}

function leaderElectionOf(isShared: boolean) {
  if (!isShared) return LEADER_ELECTION;
  return { ...LEADER_ELECTION, ...SHARED_LEADER_ELECTION, identity: `${hostname()}_${systemRandom.uuid()}` };
}

/** The built-in controllers, to be run against the server without a socket. */
export async function loadControllers(
  server: KubeApiServer,
  { choices, nodes, kubelet = 'simulated', jobRunForMs, authority, metrics }: ControllersOptions,
  { log, connections, isShared }: ControllersGround,
): Promise<Runnable> {
  const [{ Client }, { Manager }, { addBuiltinControllers, addProcessNodes, addSimulatedNodes, simulatedMetrics }] =
    await Promise.all([import('@pintle/client'), import('./manager.ts'), import('@pintle/controllers')]);
  let isOver = false;
  const direct = inProcess(server, USER);
  const client = new Client({
    transport: {
      send: inTurns(async (request: Parameters<typeof direct>[0]) => {
        if (isOver) throw new Error('The controllers have stopped');
        return await direct(request);
      }),
      isProbed: true,
    },
    userAgent: 'kube-controller-manager',
    clock: realClock,
  });
  const manager = new Manager({
    client,
    clock: realClock,
    log: { info: () => undefined, warn: log.warn, error: log.error },
    ...(choices.length > 0 && { leaderElection: leaderElectionOf(isShared) }),
    isControlPlane: true,
    ...(metrics && { metrics, health: metrics }),
  });
  addBuiltinControllers(manager, choices, {
    ...(nodes > 0 && kubelet === 'simulated' && { metrics: simulatedMetrics(manager) }),
    rootCa: authority.certificate,
    namespaceGraceMs: NAMESPACE_GRACE_MS,
    signToken: (token) => server.signSecretToken(token),
    certificates: {
      readRequest: async (pem) => {
        const { readForSigning } = await import('@pintle/pki/requests');
        return await readForSigning(pem, { authority: async () => authority, clock: realClock });
      },
    },
  });
  if (nodes > 0) {
    const isReal = kubelet === 'process';
    const rule = (): PodBehaviour => (jobRunForMs === undefined ? {} : { jobRunForMs });
    connections.lead(
      isReal ? addProcessNodes(manager, nodes, { machine: machineOf() }) : addSimulatedNodes(manager, nodes, { rule }),
    );
  }
  return {
    async run({ signal }) {
      try {
        await manager.run({ signal });
      } finally {
        // What is left to tell has nobody to tell it to; and should it run on, others do its work now.
        isOver = true;
      }
    },
  };
}

/** What commands are found and work with; the rest of this program's environment is its own. */
function machineOf(): Record<string, string> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** So many calls share a turn: they are heard of together, and nothing waits for more of them. */
const CALLS_PER_TURN = 128;

/**
 * Lets everything else have a turn before calls go on, a few at a time: sockets are read and timers fire. Work that never
 * waits for the machine would otherwise hold up the whole process for as long as it lasts.
 */
export function inTurns<R, A>(send: (request: R) => Promise<A>): (request: R) => Promise<A> {
  const turns = new TurnQueue(CALLS_PER_TURN);
  return async (request) => {
    await turns.wait();
    return await send(request);
  };
}
