/** Returns the problem, which is public; `undefined` when healthy. Errors that it throws are logged, and not shown. */
export type Check = () => string | undefined | void | Promise<string | undefined | void>;

interface HealthResponse {
  readonly status: number;
  readonly body: string;
}

/**
 * Named checks of an endpoint: `/readyz` runs all of them, `/readyz/NAME` one; `?exclude=NAME` skips some, `?verbose` lists
 * each. Responds as Kubernetes' own servers do.
 */
export class HealthChecks {
  readonly #endpoint: string;
  readonly #checks = new Map<string, Check>();
  readonly #groups: (() => Iterable<readonly [string, Check]>)[] = [];
  readonly #onError: (check: string, error: unknown) => void;

  constructor(endpoint: string, onError: (check: string, error: unknown) => void = () => undefined) {
    this.#endpoint = endpoint;
    this.#onError = onError;
    this.#checks.set('ping', () => undefined);
  }

  add(name: string, check: Check): void {
    this.#checks.set(name, check);
  }

  /** Adds checks that change at run time. */
  addGroup(checks: () => Iterable<readonly [string, Check]>): void {
    this.#groups.push(checks);
  }

  async answer(name: string, query: URLSearchParams): Promise<HealthResponse> {
    const all = this.#all();
    if (name !== '') {
      const check = all.get(name);
      return check === undefined ? { status: 404, body: '404 page not found\n' } : await this.#runOne(name, check);
    }
    const excluded = new Set(query.getAll('exclude'));
    const chosen = [...all].filter(([each]) => !excluded.has(each));
    const problems = await Promise.all(
      chosen.map(async ([each, check]) => [each, await this.#run(each, check)] as const),
    );
    const isHealthy = problems.every(([, problem]) => problem === undefined);
    if (isHealthy && !query.has('verbose')) return { status: 200, body: 'ok' };
    const lines = problems.map(([each, problem]) =>
      problem === undefined ? `[+]${each} ok` : `[-]${each} ${problem}`,
    );
    const verdict = `${this.#endpoint} check ${isHealthy ? 'passed' : 'failed'}`;
    return { status: isHealthy ? 200 : 500, body: `${[...lines, verdict].join('\n')}\n` };
  }

  async #runOne(name: string, check: Check): Promise<HealthResponse> {
    const problem = await this.#run(name, check);
    return problem === undefined ? { status: 200, body: 'ok' } : { status: 500, body: `${name} ${problem}\n` };
  }

  async #run(name: string, check: Check): Promise<string | undefined> {
    try {
      const problem = await check();
      return problem === undefined ? undefined : `failed: ${problem}`;
    } catch (error) {
      this.#onError(name, error);
      return 'failed: reason withheld';
    }
  }

  #all(): Map<string, Check> {
    return new Map([...this.#checks, ...this.#groups.flatMap((group) => [...group()])]);
  }
}
