import type { ApiServer } from '@pintle/apiserver';
import { inProcess } from '@pintle/apiserver';
import type { Runnable } from '@pintle/async';
import { realClock } from '@pintle/async';
import type { Log } from './log.ts';

export interface ControllersOptions {
  /** As kube-controller-manager's `--controllers`. */
  readonly choices: readonly string[];
  /** The authority of the server's certificate, in PEM. */
  readonly rootCa: string;
}

const USER = { username: 'system:kube-controller-manager', groups: ['system:masters', 'system:authenticated'] };

/** The built-in controllers, to be run against the server without a socket. */
export async function loadControllers(
  server: ApiServer,
  { choices, rootCa }: ControllersOptions,
  log: Log,
): Promise<Runnable> {
  const [{ Client }, { Manager }, { addBuiltinControllers }] = await Promise.all([
    import('@pintle/client'),
    import('@pintle/operator'),
    import('@pintle/controllers'),
  ]);
  const client = new Client({
    transport: { send: inProcess(server, USER), isProbed: true },
    userAgent: 'kube-controller-manager',
    clock: realClock,
  });
  const manager = new Manager({ client, clock: realClock, log });
  addBuiltinControllers(manager, choices, { rootCa, signToken: (token) => server.signSecretToken(token) });
  return manager;
}
