import type { Client } from '@pintle/client';
import type { BuiltinControllerOptions, MetricsSource } from '@pintle/controllers';
import { addBuiltinControllers, addSimulatedNodes } from '@pintle/controllers';
import type { Manager } from '@pintle/operator';
import type { PlaneClock } from '@pintle/testing';
import { startControlPlane, stepped } from '@pintle/testing';

/** A control plane inside the test: a server, the controllers that were named, and a clock that stands still. */
export interface Plane extends AsyncDisposable {
  readonly client: Client;
  readonly clock: PlaneClock;
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
  readonly namespaceGraceMs?: number;
  /** Done before the controllers start. */
  readonly before?: (client: Client) => Promise<void>;
  readonly certificates?: NonNullable<BuiltinControllerOptions['certificates']>;
  readonly signToken?: NonNullable<BuiltinControllerOptions['signToken']>;
}

export async function openPlane(
  controllers: readonly string[] = [],
  {
    nodes = 0,
    isQuiet = false,
    diesAtWrite,
    metrics,
    certificates,
    signToken,
    namespaceGraceMs = 0,
    before,
  }: PlaneOptions = {},
): Promise<Plane> {
  const plane = await startControlPlane({ clock: stepped({ isQuiet, isConcurrent: true }), env: {} });
  await before?.(plane.client);
  const setup = (manager: Manager): void => {
    const rootCa = 'the root certificate';
    addBuiltinControllers(manager, controllers, {
      rootCa,
      namespaceGraceMs,
      ...(metrics && { metrics }),
      ...(certificates && { certificates }),
      ...(signToken && { signToken }),
    });
    if (nodes > 0) addSimulatedNodes(manager, nodes);
  };
  const operator = plane.operator(setup, {
    name: 'kube-controller-manager',
    ...(diesAtWrite !== undefined && { crashAfterWrite: diesAtWrite }),
  });
  return {
    client: plane.client,
    clock: plane.clock,
    get manager() {
      return operator.manager;
    },
    eventually: async <T>(look: () => Promise<T | undefined | false>) => (await plane.eventually(look)) as T,
    [Symbol.asyncDispose]: () => plane.close(),
  };
}
