import type { Clock } from '@pintle/async';
import { notAcceptableError } from '@pintle/machinery/errors';
import type { JsonObject } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { formatTime } from '@pintle/machinery/time';
import { accepts } from '../discovery/answer-document.ts';
import type { MediaType } from '../http/content-negotiation.ts';
import { parseAccept, wantsPretty } from '../http/content-negotiation.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { headerOf } from '../request/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import { VERSION } from '../version.ts';

export interface DebugSources {
  readonly clock: Clock;
  readonly startedMs: number;
}

/** A page for people, which tools can request as an object of `config.k8s.io`. */
interface Page {
  readonly kind: string;
  text(sources: DebugSources): string;
  fields(sources: DebugSources): JsonObject;
}

const STRUCTURED = ['application/json', 'application/yaml'] as const;
const TYPES = [...STRUCTURED, 'text/plain'];
const VERSIONS = ['v1beta1', 'v1alpha1'];
const NAMES = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'];

const PAGES: Readonly<Record<string, Page>> = table({
  '/statusz': {
    kind: 'Statusz',
    text: (sources) => `\n${[...statusLines(sources)].join('\n')}\n`,
    fields: (sources) => ({
      startTime: formatTime(sources.startedMs),
      uptimeSeconds: uptimeSeconds(sources),
      goVersion: VERSION.goVersion,
      binaryVersion: binaryVersion(),
      emulationVersion: emulationVersion(),
      paths: NAMES,
    }),
  },
  // The server is started by a program with options, not with flags.
  '/flagz': { kind: 'Flagz', text: () => '', fields: () => ({}) },
});

/** Serves `/statusz` and `/flagz`, for any method. */
export function serveDebugPage(
  sources: DebugSources,
  state: RequestState,
  path: string,
): Promise<ApiResponse> | undefined {
  const page = Object.hasOwn(PAGES, path) ? PAGES[path] : undefined;
  return page && answer(page, path.slice(1), sources, state);
}

async function answer(page: Page, name: string, sources: DebugSources, state: RequestState): Promise<ApiResponse> {
  const accept = headerOf(state.request, 'accept') ?? '';
  const form = accept.trim() === '' ? 'text/plain' : formOf(page, accept);
  if (form === 'text/plain') return textPage(`\napiserver ${name}\n${WARNING}\n${page.text(sources)}`);
  const { type, version, isPretty } = form;
  if (version !== VERSIONS[0])
    state.warnings.add(`This version of the ${name} endpoint is deprecated. Please use a newer version.`);
  const head = { kind: page.kind, apiVersion: `config.k8s.io/${version}`, metadata: { name: 'apiserver' } };
  const indent = isPretty || wantsPretty(state.request, state.query) ? 2 : 0;
  const headers = { 'content-type': `${type};g=config.k8s.io;v=${version};as=${page.kind}` };
  return { status: 200, headers, body: Buffer.from(await write(type, { ...head, ...page.fields(sources) }, indent)) };
}

function textPage(text: string): ApiResponse {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from(text) };
}

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

interface Structured {
  readonly type: (typeof STRUCTURED)[number];
  readonly version: string;
  readonly isPretty: boolean;
}

/** Returns the form of the first clause that can be satisfied: a page as text, or an object of a known version. */
function formOf({ kind }: Page, accept: string): 'text/plain' | Structured {
  for (const clause of parseAccept(accept)) {
    if (!clause.parameters.get('as')) {
      if (accepts(clause, 'text/plain')) return 'text/plain';
      continue;
    }
    const type = STRUCTURED.find((candidate) => accepts(clause, candidate));
    const version = versionOf(clause, kind);
    if (type !== undefined && version !== undefined)
      return { type, version, isPretty: clause.parameters.get('pretty') === '1' };
  }
  throw notAcceptableError(TYPES);
}

function versionOf({ parameters }: MediaType, kind: string): string | undefined {
  if (parameters.get('as') !== kind || parameters.get('g') !== 'config.k8s.io') return undefined;
  return VERSIONS.find((version) => version === parameters.get('v'));
}

async function write(type: Structured['type'], document: JsonObject, indent: number): Promise<string> {
  if (type === 'application/json') return `${JSON.stringify(document, undefined, indent)}${indent > 0 ? '' : '\n'}`;
  const { stringifyYaml } = await import('@pintle/machinery/yaml');
  return stringifyYaml(document);
}

function* statusLines(sources: DebugSources): Generator<string> {
  const seconds = uptimeSeconds(sources);
  yield `Started: ${unixDate(sources.startedMs)}`;
  yield `Up: ${Math.floor(seconds / 3600)} hr ${String(Math.floor(seconds / 60) % 60).padStart(2, '0')} min ${String(seconds % 60).padStart(2, '0')} sec`;
  yield `Go version: ${VERSION.goVersion}`;
  yield `Binary version: ${binaryVersion()}`;
  yield `Emulation version: ${emulationVersion()}`;
  yield `Paths: ${NAMES.join(' ')}`;
}

function uptimeSeconds({ clock, startedMs }: DebugSources): number {
  return Math.floor((clock.now() - startedMs) / 1000);
}

function binaryVersion(): string {
  return VERSION.gitVersion.slice(1);
}

function emulationVersion(): string {
  return `${VERSION.emulationMajor}.${VERSION.emulationMinor}`;
}

/** `Mon Nov 16 16:36:22 UTC 2026`. */
function unixDate(timeMs: number): string {
  const [, weekday, day, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) (\S+)/.exec(new Date(timeMs).toUTCString())!;
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`;
}
