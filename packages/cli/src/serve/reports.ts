import type { PathHandler } from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import type { ReportStreams } from '@pintle/console/server';
import type { Log } from './log.ts';

const PATH = '/console/reports';

/** True for the path at which operators report, which the API serves as any other of its own. */
export function isReportsPath(path: string): boolean {
  return path === PATH || path.startsWith(`${PATH}/`);
}

/** Reports of operators that run elsewhere. The code for them is loaded with the first, or with the console. */
export class Reports {
  readonly #log: Log;
  #loaded: Promise<ReportStreams> | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  readonly path: PathHandler = ({ request, user }, path) =>
    isReportsPath(path) ? this.streams().then((streams) => streams.serve(request, user, path)) : undefined;

  streams(): Promise<ReportStreams> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  async #load(): Promise<ReportStreams> {
    const { ReportStreams } = await import('@pintle/console/server');
    const onError = (error: unknown, path: string) =>
      this.#log.error('Cannot take the report of an operator', { error: String(error), path });
    return new ReportStreams({ clock: realClock, onError });
  }
}
