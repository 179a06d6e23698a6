import { hostname } from 'node:os';
import { inProcess } from '@pintle/apiserver';
import { type Runnable, realClock, systemRandom, TurnQueue } from '@pintle/async';
import type { BuiltinControllerOptions, PodBehaviour } from '@pintle/controllers';
import type { ControllerName } from '@pintle/controllers/names';
import type { KubeApiServer, NodeConnector } from '@pintle/kube-apiserver';
import type { Manager } from '@pintle/operator';
import type { KeyPair } from '@pintle/pki';
import type { DeferredNodes } from './deferred-nodes.ts';
import type { Log } from './log.ts';

export interface ControllersOptions {
  /** Controllers to run. When empty, the lease of kube-controller-manager stays free. */
  readonly choices: readonly ControllerName[];
  /** Number of nodes that run pods. */
  readonly nodes: number;
  /** Default: `simulated`. */
  readonly kubelet?: Kubelet;
  /** Run time of Job containers on simulated nodes whose command sets none. Default: 1 s. */
  readonly jobRunForMs?: number;
  /** Authority of the server's certificate, which also signs CertificateSigningRequests. */
  readonly authority: KeyPair;
  /** Address of the metrics and probes of the controllers. Default: not served. */
  readonly metrics?: { readonly host: string; readonly port: number } | undefined;
}

/** `simulated` nodes run nothing; `process` nodes run the commands of pods on this machine. */
export type Kubelet = 'simulated' | 'process';

/**
 * Lease of kube-controller-manager. Only this process uses the store, so an earlier holder is gone: with the same identity
 * the lease is acquired at once, and renewed seldom.
 */
const LEADER_ELECTION = {
  namespace: 'kube-system',
  name: 'kube-controller-manager',
  identity: 'pintle',
  leaseDurationMs: 60_000,
  renewDeadlineMs: 40_000,
  retryPeriodMs: 15_000,
};
/** Durations when other servers run controllers too, as in Kubernetes: a failed holder is replaced soon. */
const SHARED_LEADER_ELECTION = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
/** Delay before the content of a deleted namespace is removed, as in kube-controller-manager. */
const NAMESPACE_GRACE_MS = 5_000;
const USER = { username: 'system:kube-controller-manager', groups: ['system:masters', 'system:authenticated'] };

interface ControllersDependencies {
  readonly log: Log;
  readonly connections: DeferredNodes;
  /** True when other servers share the objects, and may run controllers. */
  readonly isShared: boolean;
}

function leaderElectionOf(isShared: boolean) {
  if (!isShared) return LEADER_ELECTION;
  return { ...LEADER_ELECTION, ...SHARED_LEADER_ELECTION, identity: `${hostname()}_${systemRandom.uuid()}` };
}

/** Creates the built-in controllers, which call the server in process. */
export async function loadControllers(
  server: KubeApiServer,
  options: ControllersOptions,
  { log, connections, isShared }: ControllersDependencies,
): Promise<Runnable> {
  const { choices, metrics } = options;
  const [{ Client }, { Manager }] = await Promise.all([import('@pintle/client'), import('./manager.ts')]);
  let isStopped = false;
  const direct = inProcess(server, USER);
  const client = new Client({
    transport: {
      send: yieldBetweenCalls(async (request: Parameters<typeof direct>[0]) => {
        if (isStopped) throw new Error('Cannot send request: the controllers have stopped');
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
  const connector = await addControllers(manager, {
    ...options,
    rootCa: options.authority.certificate,
    signToken: (token) => server.signSecretToken(token),
  });
  if (connector !== undefined) connections.connect(connector);
  return {
    async run({ signal }) {
      try {
        await manager.run({ signal });
      } finally {
        // Refuses late requests: the server closes, or another server runs the controllers now.
        isStopped = true;
      }
    },
  };
}

interface AddedControllers extends Pick<ControllersOptions, 'choices' | 'nodes' | 'kubelet' | 'jobRunForMs'> {
  /** Default: no certificate is published in namespaces. */
  readonly rootCa?: string;
  /** Signs CertificateSigningRequests. Default: they are left alone. */
  readonly authority?: KeyPair;
  /** Signs tokens that are kept in Secrets. Default: none are made. */
  readonly signToken?: BuiltinControllerOptions['signToken'];
}

/** Adds the chosen controllers and the nodes to a manager. Returns the connection to what runs on the nodes. */
export async function addControllers(manager: Manager, options: AddedControllers): Promise<NodeConnector | undefined> {
  const { choices, nodes, kubelet = 'simulated', jobRunForMs, rootCa, authority, signToken } = options;
  const { addBuiltinControllers, addProcessNodes, addSimulatedNodes, simulatedMetrics } = await import(
    '@pintle/controllers'
  );
  addBuiltinControllers(manager, choices, {
    ...(nodes > 0 && kubelet === 'simulated' && { metrics: simulatedMetrics(manager) }),
    ...(rootCa && { rootCa }),
    namespaceGraceMs: NAMESPACE_GRACE_MS,
    ...(signToken && { signToken }),
    ...(authority && { certificates: { readRequest: (pem: string) => readRequest(pem, authority) } }),
  });
  if (nodes === 0) return undefined;
  if (kubelet === 'process') return addProcessNodes(manager, nodes, { machine: machineOf() });
  const rule = (): PodBehaviour => (jobRunForMs === undefined ? {} : { jobRunForMs });
  return addSimulatedNodes(manager, nodes, { rule });
}

async function readRequest(pem: string, authority: KeyPair) {
  const { readForSigning } = await import('@pintle/pki/requests');
  return await readForSigning(pem, { authority: async () => authority, clock: realClock });
}

/** Returns the part of the environment that commands of pods see. */
function machineOf(): Record<string, string> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Maximum of calls per turn of the event loop. */
const CALLS_PER_TURN = 128;

/**
 * Yields to the event loop before calls, so that sockets are read and timers fire. Calls in process never wait for I/O, and
 * would otherwise block the process until all work is done.
 */
export function yieldBetweenCalls<R, A>(send: (request: R) => Promise<A>): (request: R) => Promise<A> {
  const turns = new TurnQueue(CALLS_PER_TURN);
  return async (request) => {
    await turns.wait();
    return await send(request);
  };
}
