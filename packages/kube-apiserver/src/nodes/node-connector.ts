/** A container of a pod that is bound to a node. */
export interface ContainerRef {
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly container: string;
}

/** Options of a container's log. */
export interface LogOptions {
  readonly follow?: boolean;
  /** Returns the log of the container before its last restart. */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Omits older lines. */
  readonly sinceMs?: number;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The client's end of a command or an attached container. */
export interface ContainerStreams {
  /** Ends with the client's input. Absent when the client sends none. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Resolves when the client accepts more. */
  stdout(chunk: Uint8Array): Promise<void>;
  stderr(chunk: Uint8Array): Promise<void>;
  /** Set when the client wants a terminal; yields each of its sizes. */
  readonly terminal?: AsyncIterable<TerminalSize>;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/**
 * Connects to nodes. The server has none by default: the owner of the nodes provides it. Errors are sent to the client,
 * a `StatusError` as it is.
 */
export interface NodeConnector {
  /** True when it connects to that node. */
  reaches(node: string): boolean;
  /** Ends, when it follows, with the container or when `signal` aborts. */
  logs(container: ContainerRef, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Runs a command; resolves with its exit code. */
  exec(container: ContainerRef, command: readonly string[], streams: ContainerStreams): Promise<number>;
  /** Attaches to the container; resolves with its exit code. */
  attach(container: ContainerRef, streams: ContainerStreams): Promise<number>;
}
