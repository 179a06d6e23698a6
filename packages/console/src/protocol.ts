/**
 * What the page and its server say to each other beyond the Kubernetes API. Both halves import this file, so it has types
 * and constants only.
 */

/** Everything of the console is below this path; nothing else looks at its cookie. */
export const BASE = '/console';

export const PATHS = {
  session: `${BASE}/session`,
  link: `${BASE}/link`,
  /** GET, POST, PUT, PATCH and DELETE of `/console/api/<API path>`: the API as the session's user. */
  api: `${BASE}/api`,
  /** POST to `/console/watch/<API path>`: a GET of that path with `watch=1`, streamed. Browsers send no Origin with a GET. */
  watch: `${BASE}/watch`,
  /** POST: telemetry as `TelemetryEvent`s, one in JSON a line. */
  stream: `${BASE}/stream`,
} as const;

/** Names the person's wish to see a Secret's values; the audit log shows it as the user agent `REVEAL_AGENT`. */
export const REVEAL_HEADER = 'x-pintle-reveal';
export const USER_AGENT = 'pintle-console';
export const REVEAL_AGENT = 'pintle-console (reveal)';

/** The body of POST /console/session: one of the two. */
export interface Login {
  readonly link?: string;
  readonly token?: string;
}

/** The answer of GET and POST /console/session. */
export interface SessionInfo {
  /** Absent where nobody is logged in. */
  readonly user?: { readonly username: string; readonly groups: readonly string[] };
  /** What the server calls itself, for people. */
  readonly server: { readonly host: string; readonly version: string };
  /** True when /console/stream has something to say. */
  readonly hasTelemetry: boolean;
}

/** The answer of POST /console/link. */
export interface LinkInfo {
  /** To be opened at the server's address. */
  readonly path: string;
  readonly expiresInSeconds: number;
}

/** A line of /console/stream. Whoever builds the telemetry adds members; pages ignore types they do not know. */
export type TelemetryEvent = { readonly type: 'hello'; readonly protocol: 1 };
