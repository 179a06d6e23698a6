import { randomBytes } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import type { ApiRequest, ApiResponse, RequestLog } from '@pintle/apiserver';
import { VERSION } from '@pintle/apiserver';
import type { Eventual } from '@pintle/async';
import { realClock } from '@pintle/async';
import type { ConsoleHandler, PendingLink } from '@pintle/console/server';
import type { LiveCertificates } from './live-certificates.ts';
import type { Log } from './log.ts';
import type { Reports } from './reports.ts';

export interface ConsoleSettings {
  /** Links that exist before a user asks for one. */
  readonly links?: readonly PendingLink[];
}

interface Served extends ConsoleSettings {
  readonly certificates: LiveCertificates;
  /** Address that the server listens on. */
  readonly host: string;
  /** Requests and watches of the server. */
  readonly requests: RequestLog;
  /** Operators that run elsewhere. */
  readonly reports: Reports;
  readonly log: Log;
}

type Answer = (request: ApiRequest) => Eventual<ApiResponse>;

/** Where the console is on a server. */
export const CONSOLE_PATH = '/console/';
/** The link that a start prints. */
const FIRST_LINK_MS = 10 * 60_000;

/** Returns the handler of requests below /console. The console is loaded with the first of them. */
export function serveConsole(answer: Answer, served: Served): Answer {
  let loaded: Promise<ConsoleHandler> | undefined;
  return (request) => {
    loaded ??= loadConsole(answer, served);
    return loaded.then((handler) => handler.handle(request));
  };
}

async function loadConsole(answer: Answer, served: Served): Promise<ConsoleHandler> {
  const { ConsoleHandler } = await import('@pintle/console/server');
  const { openTelemetry } = await import('./telemetry.ts');
  const { certificates, host, log, links, requests, reports } = served;
  return await ConsoleHandler.open({
    answer,
    clock: realClock,
    version: VERSION.gitVersion,
    certificate: () => certificates.current.server.certificate,
    address: host,
    onError: (error, path) => log.error('Console request failed', { error: String(error), path }),
    ...(links && { links }),
    telemetry: openTelemetry(requests, await reports.streams()),
  });
}

/** A link that logs the administrator in: for the person who starts a server that only this machine reaches. */
export function adminLink(host: string): PendingLink | undefined {
  if (!isLoopback(host)) return undefined;
  return {
    secret: randomBytes(32).toString('base64url'),
    user: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
    expiresMs: realClock.monotonic() + FIRST_LINK_MS,
  };
}

function isLoopback(host: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  const version = isIP(host);
  return version === 0 ? host === 'localhost' : loopback.check(host, version === 6 ? 'ipv6' : 'ipv4');
}
