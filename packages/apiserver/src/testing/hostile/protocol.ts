/** What the server says about itself after an attack. */
export interface ServerReport {
  /** The longest time the event loop did not turn; on a busy machine others may be to blame. */
  readonly longestStallMs: number;
  /** The longest such time in which this process was computing throughout. */
  readonly longestBusyStallMs: number;
  /** Errors that no request can explain, once each, with how often they came. */
  readonly errors: Readonly<Record<string, number>>;
  /** Things in the store, or in the process, that should not be. */
  readonly violations: readonly string[];
  readonly objects: number;
  readonly rssBytes: number;
}

export interface ServerReady {
  readonly port: number;
  readonly authority: string;
}

export const TOKEN = 'the-admin-of-the-hostile-test';
