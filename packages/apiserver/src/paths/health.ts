import type { ApiResponse } from '../http/exchange.ts';
import { textResponse } from '../http/exchange.ts';
import type { Foundation } from '../registry/endpoint.ts';
import type { RequestState } from '../request/pipeline.ts';

type Check = { readonly name: string; readonly run: (foundation: Foundation) => Promise<void> | void };

const CHECKS: readonly Check[] = [
  { name: 'ping', run: () => {} },
  { name: 'log', run: () => {} },
  {
    name: 'etcd',
    run: async ({ store }) => {
      await store.get('core/namespaces/default');
    },
  },
];

/** `/healthz`, `/livez`, `/readyz`, each whole or check by check. */
export function serveHealth(
  foundation: Foundation,
  state: RequestState,
  path: string,
): Promise<ApiResponse> | undefined {
  const match = /^\/(healthz|livez|readyz)(?:\/([a-z0-9/-]+))?\/?$/.exec(path);
  if (match === null) return undefined;
  const [, endpoint, only] = match;
  if (only !== undefined) return runOne(foundation, only);
  const excluded = new Set(state.query.getAll('exclude'));
  return runAll(foundation, endpoint!, excluded, state.query.has('verbose'));
}

async function runOne(foundation: Foundation, name: string): Promise<ApiResponse> {
  const check = CHECKS.find((candidate) => candidate.name === name);
  if (check === undefined) return textResponse(404, '404 page not found\n');
  return (await passes(check, foundation))
    ? textResponse(200, 'ok')
    : textResponse(500, `internal server error: ${name}\n`);
}

async function runAll(
  foundation: Foundation,
  endpoint: string,
  excluded: ReadonlySet<string>,
  isVerbose: boolean,
): Promise<ApiResponse> {
  const lines: string[] = [];
  let isHealthy = true;
  for (const check of CHECKS) {
    if (excluded.has(check.name)) lines.push(`[+]${check.name} excluded: ok`);
    else if (await passes(check, foundation)) lines.push(`[+]${check.name} ok`);
    else {
      isHealthy = false;
      lines.push(`[-]${check.name} failed: reason withheld`);
    }
  }
  const unknown = [...excluded].filter((name) => !CHECKS.some((check) => check.name === name));
  if (unknown.length > 0) {
    const list = unknown.map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${list}`);
  }
  if (!isHealthy) return textResponse(500, `${lines.join('\n')}\n${endpoint} check failed\n`);
  return textResponse(200, isVerbose ? `${lines.join('\n')}\n${endpoint} check passed\n` : 'ok');
}

async function passes(check: Check, foundation: Foundation): Promise<boolean> {
  try {
    await check.run(foundation);
    return true;
  } catch {
    return false;
  }
}
