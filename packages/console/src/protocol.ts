/**
 * Messages between the page and its server, beyond the Kubernetes API. Both halves import this file, so it has types
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
  /**
   * POST: a stream of `WatchFrame`s, for pages with many watches. POST to `/console/watches/<stream>` with a `WatchChange`
   * opens and closes watches in it.
   */
  watches: `${BASE}/watches`,
  /** POST: telemetry as `TelemetryEvent`s, one in JSON a line. */
  stream: `${BASE}/stream`,
  /**
   * POST, by operators with a credential of the API: a stream of `ReportFrame`s. POST to `/console/reports/<stream>` with an
   * `OperatorReport`, and `sentMs` by the operator's clock, is a report.
   */
  reports: `${BASE}/reports`,
} as const;

/** A line of the stream that an operator opens. Operators ignore lines they do not know; empty objects are signs of life. */
export interface ReportFrame {
  /** In the first line: names the stream, and the limits of its reports. */
  readonly stream?: string;
  readonly maxBytes?: number;
  readonly intervalMs?: number;
  /** True from when a page looks until none does. */
  readonly isWanted?: boolean;
}

/** A watch in a shared stream: what `/console/watch/<path>?<query>` would open. */
export interface SharedWatch {
  /** Chosen by the page, and not used again in the stream. */
  readonly id: number;
  readonly path: string;
  readonly query: string;
  readonly accept: string;
}

export interface WatchChange {
  readonly open: readonly SharedWatch[];
  readonly close: readonly number[];
}

/** A line of a shared stream. */
export type WatchFrame =
  /** The first one. */
  | { readonly stream: string }
  /** The API answered. What follows is the watch, or the reason of a refusal. */
  | { readonly id: number; readonly status: number }
  /** So many bytes of the answer's body follow. */
  | { readonly id: number; readonly bytes: number }
  | { readonly id: number; readonly isOver: true };

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
  /** Absent where no user is logged in. */
  readonly user?: { readonly username: string; readonly groups: readonly string[] };
  /** Name and version of the server, for people. */
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

/** RBAC: roles grant telemetry as this verb on the path of the stream. */
export const OBSERVE_VERB = 'observe';

/** A line of /console/stream. Pages ignore types they do not know. */
export type TelemetryEvent =
  | { readonly type: 'hello'; readonly protocol: 1 }
  /** State of an operator, without traces. */
  | { readonly type: 'operator'; readonly report: OperatorReport }
  | { readonly type: 'gone'; readonly operator: string }
  /** Reconciles that began, went on or ended. */
  | {
      readonly type: 'traces';
      readonly operator: string;
      readonly reporter?: Reporter;
      readonly traces: readonly ReconcileTrace[];
    }
  | { readonly type: 'requests'; readonly requests: readonly RequestRecord[] }
  /** All open watches, those furthest behind first. */
  | { readonly type: 'watches'; readonly watches: readonly OpenWatch[] };

/** Sender of the reports of an operator. */
export interface Reporter {
  /** The user as the server knows it. */
  readonly user: string;
  /** The pod that the user's token is bound to. */
  readonly pod?: string;
  /** Host as the operator names itself, where the server knows no pod. */
  readonly host?: string;
}

export interface OperatorReport {
  /** Unique on the machine; for operators that others report, chosen by the server. */
  readonly operator: string;
  /** Present when another process reported over the network: everything but this was said by it. */
  readonly reporter?: Reporter;
  /** True when no report has come for some time. */
  readonly isSilent?: boolean;
  readonly name: string;
  readonly pid: number;
  /** True for the built-in controllers. */
  readonly isControlPlane: boolean;
  readonly isLeader: boolean;
  readonly controllers: readonly ControllerReport[];
  readonly caches: readonly CacheReport[];
  readonly traces: readonly ReconcileTrace[];
  /** Reconciles that ended and did not fit into a report. */
  readonly omittedTraces: number;
}

export interface ControllerReport {
  readonly name: string;
  readonly ready: number;
  readonly delayed: number;
  readonly active: number;
  /** The first objects of the queue: active, ready, then delayed by due time. */
  readonly queue: readonly QueuedReport[];
}

export interface QueuedReport {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly state: 'ready' | 'delayed' | 'active';
  readonly dueInMs?: number;
  readonly failures: number;
}

/** A cache of an operator, and the revision that it has reached. */
export interface CacheReport {
  readonly resource: string;
  readonly kind: string;
  readonly revision: string;
  readonly isSynced: boolean;
  readonly isFailing: boolean;
  readonly silentMs: number;
}

export interface Reason {
  readonly cause: string;
  readonly kind?: string;
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly isInitial?: boolean;
}

/** One step of a reconcile. */
export interface TraceStep {
  readonly type: 'read' | 'write';
  /** Since the start of the reconcile. */
  readonly atMs: number;
  /** With its group and subresource: `deployments.apps/status`. */
  readonly resource: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly revision?: string;
  /** Of reads. */
  readonly from?: 'cache' | 'server';
  readonly found?: number;
  /** Of writes. */
  readonly verb?: string;
  readonly outcome?: 'sent' | 'suppressed' | 'conflict' | 'refused';
  readonly status?: number;
}

/** One reconcile: its reasons, its steps and its result. */
export interface ReconcileTrace {
  readonly id: number;
  readonly controller: string;
  readonly namespace?: string;
  readonly name: string;
  readonly reasons: readonly Reason[];
  readonly startedMs: number;
  readonly failures: number;
  readonly steps: readonly TraceStep[];
  readonly omittedSteps: number;
  /** Absent while it runs. */
  readonly durationMs?: number;
  readonly outcome?: 'success' | 'requeue_after' | 'error';
  readonly requeueAfterMs?: number;
  readonly error?: string;
}

/** A request and its answer. */
export interface RequestRecord {
  readonly atMs: number;
  readonly durationMs: number;
  readonly user: string;
  readonly groups: readonly string[];
  readonly userAgent: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly isDryRun: boolean;
  readonly status: number;
  readonly message?: string;
}

export interface OpenWatch {
  readonly id: number;
  readonly sinceMs: number;
  readonly user: string;
  readonly userAgent: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
  readonly sent: number;
  readonly bytes: number;
  readonly sentMs: number;
  /** The client has everything up to this revision; 0 until the watch follows the store. */
  readonly revision: number;
  readonly storeRevision: number;
  readonly waiting: number;
}
