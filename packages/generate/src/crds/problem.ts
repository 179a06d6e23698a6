import type { SourceProblem } from '../errors.ts';

/** Where something stands in the sources. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** Stops the reading of one resource; all resources are read before anything is said. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly problem: SourceProblem;

  constructor({ file, line }: Place, message: string) {
    super(`${file}:${line}: ${message}`);
    this.problem = { file, line, message };
  }
}
