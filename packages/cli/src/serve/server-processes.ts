import type { Socket } from 'node:net';
import type {
  ApiRequest,
  ApiResponse,
  AuditPolicy,
  DividedLimits,
  Http2Choice,
  OtherRequests,
  RequestHeaderOptions,
  RequestRecord,
  TlsSettings,
} from '@pintle/apiserver';
import type { Eventual } from '@pintle/async';
import type { TokenKeyFiles } from '@pintle/kube-apiserver';
import type { Store } from '@pintle/store';
import type { CertificateSet } from './live-certificates.ts';
import type { Log } from './log.ts';

/** Further processes of a server, which serve connections that this one gives them. */
export interface Workers {
  /** Gives a new connection to a worker, unless this process should serve it: then returns false. */
  divert(socket: Socket): boolean;
  /** Metrics of each process. */
  readonly metrics: readonly { textOf(source: string): Promise<string> }[];
  /** Requests and watches of each process. */
  readonly requests: OtherRequests;
  /** Uses these certificates for new connections. */
  setCertificates(certificates: CertificateSet): void;
  /** Makes `/readyz` fail everywhere, and ends watches. */
  beginShutdown(): void;
  /** Lets requests in flight finish, up to the grace, and ends all processes. */
  close(options: { readonly graceMs: number }): Promise<void>;
}

/** Services of this process for its workers. */
export interface WorkersContext {
  readonly store: Store;
  /** Serves requests that only this process can serve. */
  readonly handle: (request: ApiRequest) => Eventual<ApiResponse>;
  /** Writes events, and returns whether the last could not be written. */
  readonly audit: (events: readonly EncodedEvent[]) => boolean;
  readonly tokenKeys: () => Promise<TokenKeyFiles>;
  /** Takes reports about requests, while they are followed. */
  readonly onRequests: (records: readonly RequestRecord[]) => void;
  readonly certificates: CertificateSet;
  readonly settings: ServerSettings;
  readonly log: Log;
}

/** Settings of all processes of a server, as plain data. */
export interface ServerSettings {
  /** Replaces the headers of the flags. */
  readonly requestHeaders: RequestHeaderOptions | undefined;
  readonly tls: TlsSettings | undefined;
  readonly http2: Http2Choice;
  readonly divided: DividedLimits;
  readonly isShardingEnabled: boolean | undefined;
  readonly enabledAdmission: readonly string[] | undefined;
  readonly disabledAdmission: readonly string[] | undefined;
  readonly audit: AuditSettings | undefined;
  /** True when requests may be followed. */
  readonly hasRequestLog: boolean;
}

export interface AuditSettings {
  readonly policy: AuditPolicy | undefined;
  readonly hasAnonymousSink: boolean;
  /** True when responses wait until their events are written. */
  readonly isBlocking: boolean;
  readonly isStrict: boolean;
}

/** An event in JSON, and whether it is one of an anonymous request. */
export type EncodedEvent = readonly [json: string, isAnonymous: boolean];

export interface WorkersOptions {
  /** Number of processes that serve, this one included. */
  readonly processes: number;
  readonly open: (context: WorkersContext) => Promise<Workers>;
}
