import type { Clock } from '@pintle/async';
import { withTimeout } from '@pintle/async';
import type { Store } from '@pintle/store';
import type { ApiResponse } from '../request/exchange.ts';
import { textResponse } from '../request/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import { WriteProbe } from './write-probe.ts';

type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

export interface HealthCheck {
  readonly name: string;
  /** Fails by throwing or rejecting. Clients never see the reason. */
  readonly run: () => void | Promise<void>;
  /** Default: all endpoints. */
  readonly endpoints?: readonly HealthEndpoint[];
}

interface HealthOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Called after every check. */
  readonly onCheck?: (endpoint: HealthEndpoint, name: string, isOk: boolean) => void;
}

const ENDPOINTS: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];
const STORE_TIMEOUT_MS = 2_000;

/**
 * Health of the server: `/healthz` and `/livez` succeed while the store can be read, `/readyz` while it can be written and the
 * server accepts requests. Each serves all checks or a single one. Checks for steps of the start fail until `markStarted`.
 */
export class Health {
  readonly #options: HealthOptions;
  readonly #checks: readonly HealthCheck[];
  #isStarted = false;
  #isShuttingDown = false;

  constructor(options: HealthOptions) {
    this.#options = options;
    const writes = new WriteProbe(options);
    const started = { run: () => assertTrue(this.#isStarted, 'not started yet') };
    this.#checks = [
      { name: 'ping', run: () => {} },
      { name: 'log', run: () => {} },
      { name: 'loopback-serving-certificate', endpoints: ['healthz', 'livez'], run: () => {} },
      { name: 'etcd', run: () => this.#readStore() },
      { name: 'etcd-readiness', endpoints: ['readyz'], run: () => writes.check() },
      { name: 'informer-sync', endpoints: ['readyz'], ...started },
      ...STARTUP_STEPS.map((step) => ({ name: step, ...started })),
      { name: 'shutdown', endpoints: ['readyz'], run: () => assertTrue(!this.#isShuttingDown, 'shutting down') },
    ];
  }

  /** Makes the checks for steps of the start succeed. */
  markStarted(): void {
    this.#isStarted = true;
  }

  /** Makes `/readyz` fail, so that load balancers send no requests here. */
  markShuttingDown(): void {
    this.#isShuttingDown = true;
  }

  /** Returns the paths of all endpoints and their checks. */
  paths(): string[] {
    return ENDPOINTS.flatMap((endpoint) => [
      `/${endpoint}`,
      ...this.#checksOf(endpoint).map(({ name }) => `/${endpoint}/${name}`),
    ]);
  }

  /** Serves the paths of health, for any method; `undefined` for other paths. */
  serve(state: RequestState, path: string): Promise<ApiResponse> | undefined {
    const match = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path);
    if (match === null) return undefined;
    const endpoint = match[1] as HealthEndpoint;
    return match[2] === undefined ? this.#runAll(endpoint, state.query) : this.#runOne(endpoint, match[2]);
  }

  async #runOne(endpoint: HealthEndpoint, name: string): Promise<ApiResponse> {
    const check = this.#checksOf(endpoint).find((candidate) => candidate.name === name);
    if (check === undefined) return textResponse(404, '404 page not found\n');
    if (await this.#passes(endpoint, check)) return passed();
    return textResponse(500, 'internal server error: reason withheld\n');
  }

  async #runAll(endpoint: HealthEndpoint, query: URLSearchParams): Promise<ApiResponse> {
    const excluded = new Set(query.getAll('exclude'));
    const lines: string[] = [];
    let isHealthy = true;
    for (const check of this.#checksOf(endpoint)) {
      if (excluded.delete(check.name)) lines.push(`[+]${check.name} excluded: ok`);
      else if (await this.#passes(endpoint, check)) lines.push(`[+]${check.name} ok`);
      else {
        isHealthy = false;
        lines.push(`[-]${check.name} failed: reason withheld`);
      }
    }
    if (excluded.size > 0) {
      const names = [...excluded].map((name) => JSON.stringify(name)).sort();
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(',')}`);
    }
    if (!isHealthy) return textResponse(500, `${lines.join('\n')}\n${endpoint} check failed\n`);
    return textResponse(200, query.has('verbose') ? `${lines.join('\n')}\n${endpoint} check passed\n` : 'ok');
  }

  #checksOf(endpoint: HealthEndpoint): readonly HealthCheck[] {
    return this.#checks.filter(({ endpoints }) => endpoints === undefined || endpoints.includes(endpoint));
  }

  async #passes(endpoint: HealthEndpoint, check: HealthCheck): Promise<boolean> {
    let isOk = true;
    try {
      await check.run();
    } catch {
      isOk = false;
    }
    this.#options.onCheck?.(endpoint, check.name, isOk);
    return isOk;
  }

  async #readStore(): Promise<void> {
    const { store, clock } = this.#options;
    await withTimeout(async (signal) => await store.get('core/namespaces/default', { signal }), STORE_TIMEOUT_MS, {
      clock,
    });
  }
}

function assertTrue(value: boolean, message: string): void {
  if (!value) throw new Error(message);
}

/** Names of the steps of Kubernetes' start, which tools look for. Here all of them succeed together. */
const STARTUP_STEPS: readonly string[] = [
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/storage-object-count-tracker-hook',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/peer-endpoint-reconciler-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/storage-readiness',
  'poststarthook/start-legacy-token-tracking-controller',
  'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kubernetes-service-cidr-controller',
  'poststarthook/aggregator-reload-proxy-client-cert',
  'poststarthook/start-kube-aggregator-informers',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];

/** Returns the response of a single check, which has no further headers. */
function passed(): ApiResponse {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from('ok') };
}
