/** Gives what is wrong, for anybody to read; nothing when all is well. What it throws is kept from the reader. */
export type Check = () => string | undefined | void | Promise<string | undefined | void>;

interface HealthAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Named checks behind an address: `/readyz` asks all of them, `/readyz/NAME` one, `?exclude=NAME` leaves some out, and
 * `?verbose` tells of each. Answers as Kubernetes' own servers do.
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

  /** Checks that come and go. */
  addGroup(checks: () => Iterable<readonly [string, Check]>): void {
    this.#groups.push(checks);
  }

  async answer(name: string, query: URLSearchParams): Promise<HealthAnswer> {
    const all = this.#all();
    if (name !== '') {
      const check = all.get(name);
      return check === undefined ? { status: 404, body: '404 page not found\n' } : await this.#one(name, check);
    }
    const excluded = new Set(query.getAll('exclude'));
    const chosen = [...all].filter(([each]) => !excluded.has(each));
    const problems = await Promise.all(
      chosen.map(async ([each, check]) => [each, await this.#ask(each, check)] as const),
    );
    const isWell = problems.every(([, problem]) => problem === undefined);
    if (isWell && !query.has('verbose')) return { status: 200, body: 'ok' };
    const lines = problems.map(([each, problem]) =>
      problem === undefined ? `[+]${each} ok` : `[-]${each} ${problem}`,
    );
    const verdict = `${this.#endpoint} check ${isWell ? 'passed' : 'failed'}`;
    return { status: isWell ? 200 : 500, body: `${[...lines, verdict].join('\n')}\n` };
  }

  async #one(name: string, check: Check): Promise<HealthAnswer> {
    const problem = await this.#ask(name, check);
    return problem === undefined ? { status: 200, body: 'ok' } : { status: 500, body: `${name} ${problem}\n` };
  }

  async #ask(name: string, check: Check): Promise<string | undefined> {
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
