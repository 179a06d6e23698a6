import { hostname } from 'node:os';
import type { Clock, Random } from '@pintle/async';
import type { Client } from '@pintle/client';
import { LeaderElector } from '@pintle/client';
import { Namespace } from '@pintle/kinds/core/v1';
import { isAlreadyExists, isForbidden } from '@pintle/machinery/errors';
import type { Log } from '../controller/controller.ts';
import { errorFields } from '../controller/error-fields.ts';

export interface LeaderElectionOptions {
  /** Of the lease that processes compete for. */
  readonly name: string;
  /** Default: PINTLE_LEASE_NAMESPACE of the environment, else the pod's own, else that of the kubeconfig's context. */
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

/** Tells whoever deploys the operator that no person made the namespace. */
const MADE_HERE = { 'app.kubernetes.io/managed-by': 'pintle' };

/**
 * Returns the namespace, and makes it where it is missing: an operator may be deployed to it while this one runs, and they
 * compete for one lease. Who may not make it, and does not find it, gets `undefined`.
 */
export async function makeLeaseNamespace(
  name: string,
  { client, log, signal }: { readonly client: Client; readonly log: Log; readonly signal: AbortSignal },
): Promise<string | undefined> {
  try {
    if ((await client.find(Namespace, { name }, { signal })) !== undefined) return name;
    await client.create(Namespace, { metadata: { name, labels: MADE_HERE } }, { signal });
    log.info('Created the namespace of the lease', { namespace: name });
    return name;
  } catch (error) {
    if (isAlreadyExists(error)) return name;
    if (!isForbidden(error)) throw error;
    log.warn('Cannot make the namespace of the lease: an operator that is deployed there would lead beside this one', {
      namespace: name,
      ...errorFields(error),
    });
    return undefined;
  }
}
