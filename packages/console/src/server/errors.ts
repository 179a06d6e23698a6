/** Why the console refused a request. */
export type ConsoleFailure =
  | { readonly code: 'WrongHost'; readonly host: string }
  | { readonly code: 'CrossOrigin'; readonly found: string }
  | { readonly code: 'NoSession' }
  | { readonly code: 'BadLogin'; readonly problem: string }
  | { readonly code: 'BadBody'; readonly problem: string }
  | { readonly code: 'NotAllowed'; readonly problem: string }
  | { readonly code: 'NotFound'; readonly path: string }
  | { readonly code: 'WrongMethod'; readonly method: string }
  | { readonly code: 'TooLarge'; readonly maxBytes: number }
  | { readonly code: 'TooSlow' }
  | { readonly code: 'TooManyStreams'; readonly max: number };

/** A refusal, which becomes an answer in `answerOf`. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  readonly failure: ConsoleFailure;

  constructor(failure: ConsoleFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }

  /** The HTTP status that tells of it. */
  get status(): number {
    return STATUS[this.failure.code];
  }
}

const STATUS: Readonly<Record<ConsoleFailure['code'], number>> = {
  WrongHost: 421,
  CrossOrigin: 403,
  NoSession: 401,
  BadLogin: 401,
  BadBody: 400,
  NotAllowed: 403,
  NotFound: 404,
  WrongMethod: 405,
  TooLarge: 413,
  TooSlow: 429,
  TooManyStreams: 429,
};

function describe(failure: ConsoleFailure): string {
  switch (failure.code) {
    case 'WrongHost':
      return `Cannot serve the console at ${JSON.stringify(failure.host)}: the server's certificate does not name it`;
    case 'CrossOrigin':
      return `Cannot take a request from another page: ${failure.found}`;
    case 'NoSession':
      return 'Cannot tell who asks: log in first';
    case 'BadLogin':
      return `Cannot log in: ${failure.problem}`;
    case 'BadBody':
      return `Cannot read the body: ${failure.problem}`;
    case 'NotAllowed':
      return `Cannot do that through the console: ${failure.problem}`;
    case 'NotFound':
      return `Cannot find ${failure.path}`;
    case 'WrongMethod':
      return `Cannot ${failure.method} that path`;
    case 'TooLarge':
      return `Cannot read the body: it is longer than ${failure.maxBytes} bytes`;
    case 'TooSlow':
      return 'Cannot read the body: too many others are arriving';
    case 'TooManyStreams':
      return `Cannot open another stream: a session has at most ${failure.max}`;
  }
}
