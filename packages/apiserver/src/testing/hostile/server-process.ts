// The server under attack, in a process of its own: `run-hostile.ts` starts it and asks it how it fared.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { realClock, systemRandom } from '@pintle/async';
import type { Store } from '@pintle/store';
import { openMemoryStore } from '@pintle/store';
import { ApiServer } from '../../api-server.ts';
import { TokenAuthenticator } from '../../auth/token-authenticator.ts';
import { NodeListener } from '../../http/node-listener.ts';
import { READINESS_KEY } from '../../paths/write-probe.ts';
import { createAuthority, issueCertificate } from '../../pki/index.ts';
import type { ServerReady, ServerReport } from './protocol.ts';
import { TOKEN } from './protocol.ts';

const TICK_MS = 20;

await main();

async function main(): Promise<void> {
  const errors: Record<string, number> = {};
  const note = (error: unknown): void => {
    const text =
      error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join(' | ') : String(error);
    errors[text] = (errors[text] ?? 0) + 1;
  };
  process.on('unhandledRejection', (error) => note(new Error('Unhandled rejection', { cause: error })));
  const store = await openMemoryStore({ clock: realClock });
  const user = { username: 'admin', groups: ['system:masters'] };
  const server = await ApiServer.open({
    store,
    clock: realClock,
    random: systemRandom,
    authenticator: new TokenAuthenticator([{ token: TOKEN, user }]),
    onError: note,
  });
  const authority = await createAuthority('hostile', 1, realClock.now());
  const pair = await issueCertificate(
    authority,
    { commonName: 'server', hosts: ['127.0.0.1'], usage: 'server', days: 1 },
    realClock.now(),
  );
  const listener = await NodeListener.listen({ handle: (request) => server.answer(request), ...pair });
  const stalls = watchStalls();
  process.on('message', () => void report(store, errors, stalls).then((answer) => process.send?.(answer)));
  process.on('disconnect', () => process.exit());
  process.send?.({ port: listener.port, authority: authority.certificate } satisfies ServerReady);
}

function watchStalls(): { longestMs: () => number; longestBusyMs: () => number } {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  let longestBusyMs = 0;
  let last = { timeMs: performance.now(), cpu: process.cpuUsage() };
  const tick = (): void => {
    const timeMs = performance.now();
    const used = process.cpuUsage(last.cpu);
    const busyMs = Math.min(timeMs - last.timeMs - TICK_MS, (used.user + used.system) / 1000);
    longestBusyMs = Math.max(longestBusyMs, busyMs);
    last = { timeMs, cpu: process.cpuUsage() };
    realClock.setTimer(TICK_MS, tick);
  };
  realClock.setTimer(TICK_MS, tick);
  return { longestMs: () => delays.max / 1e6, longestBusyMs: () => longestBusyMs };
}

async function report(
  store: Store,
  errors: Record<string, number>,
  stalls: ReturnType<typeof watchStalls>,
): Promise<ServerReport> {
  const longestStallMs = Math.round(stalls.longestMs());
  const longestBusyStallMs = Math.round(stalls.longestBusyMs());
  const { records } = await store.range({ start: '!', end: '~' });
  const violations = records.flatMap(({ key, value }) => judge(key, value));
  const stray: unknown = ({} as { polluted?: unknown }).polluted;
  if (stray !== undefined || Object.keys(Object.prototype).length > 0) violations.push('Object.prototype was changed');
  const { rss } = process.memoryUsage();
  return { longestStallMs, longestBusyStallMs, errors, violations, objects: records.length, rssBytes: rss };
}

/** A stored object lies where its name and namespace say, and its name is one that can be written in a URL. */
function judge(key: string, value: Uint8Array): string[] {
  if (key === READINESS_KEY) return [];
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  const isOdd = parts.some((part) => part === '' || part === '.' || part === '..' || /[%\p{Cc}]/u.test(part));
  if (isOdd || parts.length < 3 || parts.length > 4) return [`odd key ${JSON.stringify(key)}`];
  const text = Buffer.from(value).toString();
  return text.includes(JSON.stringify(name)) ? [] : [`${JSON.stringify(key)} does not hold its own name`];
}
