import type { OpenWatch, RequestRecord } from '@pintle/apiserver';
import type { TokenKeyFiles } from '@pintle/kube-apiserver';
import type { CertificateSet } from '../serve/live-certificates.ts';
import type { EncodedEvent, ServerSettings } from '../serve/server-processes.ts';

/** Settings with which a worker serves as the main process does. */
export interface WorkerSettings extends ServerSettings {
  /** Flags of authentication and authorization, as the command parsed them. */
  readonly flags: unknown;
  readonly rootCa: string;
  readonly certificates: CertificateSet;
  /** Path of the socket of the main process, in a folder that only this user can open. */
  readonly mainPath: string;
  /** Path of a socket that the worker may listen on. */
  readonly ownPath: string;
  /** Folder of both, which the last process removes. Absent for named pipes. */
  readonly folder: string | undefined;
}

/** Messages from the main process. With `connection`, a socket comes along. */
export type ToWorker =
  | { readonly type: 'start'; readonly settings: WorkerSettings }
  | { readonly type: 'store'; readonly message: unknown }
  | { readonly type: 'connection' }
  | { readonly type: 'certificates'; readonly certificates: CertificateSet }
  /** Answers all events up to a number. */
  | { readonly type: 'audited'; readonly through: number; readonly isFailing: boolean }
  | { readonly type: 'token keys'; readonly keys: TokenKeyFiles | undefined; readonly problem?: string }
  | { readonly type: 'metrics'; readonly id: number; readonly source: string }
  /** Begins or ends reports about requests. */
  | { readonly type: 'follow'; readonly isFollowed: boolean }
  /** Makes `/readyz` fail and ends watches. */
  | { readonly type: 'shut down' }
  /** Ends the process, once requests are answered or the time is over. */
  | { readonly type: 'stop'; readonly graceMs: number };

/** Messages from a worker. */
export type ToMain =
  | { readonly type: 'ready' }
  | { readonly type: 'store'; readonly message: unknown }
  | { readonly type: 'closed'; readonly connections: number }
  | { readonly type: 'audit'; readonly events: readonly EncodedEvent[]; readonly through: number }
  | { readonly type: 'requests'; readonly records: readonly RequestRecord[] }
  | { readonly type: 'watches'; readonly watches: readonly OpenWatch[] }
  | { readonly type: 'token keys' }
  | { readonly type: 'metrics'; readonly id: number; readonly text: string };
