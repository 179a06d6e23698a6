/** A container of a pod that is bound to a node. */
export interface ContainerRef {
  readonly node: string;
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly container: string;
}

/** Which part of a container's log, and how it is written. */
export interface LogOptions {
  readonly follow?: boolean;
  /** Of the run before the last restart. */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Nothing older. */
  readonly sinceMs?: number;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The client's end of what runs in a container. */
export interface ContainerStreams {
  /** Ends when the client has no more to say. Absent: it has nothing to say at all. */
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Resolves when the client takes more. */
  stdout(chunk: Uint8Array): Promise<void>;
  stderr(chunk: Uint8Array): Promise<void>;
  /** Whether the client wants a terminal, and each size it has. */
  readonly terminal?: AsyncIterable<TerminalSize>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/**
 * The way to what runs on nodes. The server knows none: whoever runs nodes gives it one. What is thrown is told to the
 * client, a `StatusError` as it is.
 */
export interface NodeConnector {
  /** Whether it leads to that node. */
  reaches(node: string): boolean;
  /** Lasts, when it follows, until the container ends or `signal` aborts. */
  logs(container: ContainerRef, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Runs a command; resolves with its exit code. */
  exec(container: ContainerRef, command: readonly string[], streams: ContainerStreams): Promise<number>;
  /** Joins what the container runs; resolves with its exit code. */
  attach(container: ContainerRef, streams: ContainerStreams): Promise<number>;
}
