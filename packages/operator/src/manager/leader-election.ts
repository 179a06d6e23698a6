import { hostname } from 'node:os';
import type { Clock, Random } from '@pintle/async';
import type { Client } from '@pintle/client';
import { LeaderElector } from '@pintle/client';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';

export interface LeaderElectionOptions {
  /** Of the lease that processes compete for. */
  readonly name: string;
  /** Default: the pod's own, or that of the kubeconfig's context. */
  readonly namespace?: string;
  /** Who this process is among those that compete. Default: a new one. */
  readonly identity?: string;
  /** How long others wait for a leader that is silent. Default: 15 s. */
  readonly leaseDurationMs?: number;
  /** How long a leader that cannot renew goes on leading. Default: 10 s. */
  readonly renewDeadlineMs?: number;
  /** How often the leader renews and others try. Default: 2 s. */
  readonly retryPeriodMs?: number;
}

interface ElectionDependencies {
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function createElector(
  { name, identity, ...timing }: LeaderElectionOptions,
  { client, namespace, clock, random, log }: ElectionDependencies,
): LeaderElector {
  const lease = `${namespace}/${name}`;
  const own = identity ?? `${hostname()}_${random.uuid()}`;
  return new LeaderElector({
    ...timing,
    client,
    clock,
    random,
    lease: { namespace, name },
    identity: own,
    onNewLeader: (leader) => {
      if (leader !== own) log.info('Waiting for the lease, which another holds', { lease, holder: leader });
    },
    onError: (error) => log.warn('Could not read or write the lease', { lease, ...errorFields(error) }),
  });
}
