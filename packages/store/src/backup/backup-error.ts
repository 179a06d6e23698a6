/** Reasons why a backup cannot be read or put back. */
export type BackupFailure =
  | { readonly code: 'NotABackup' }
  /** A newer Pintle wrote it. */
  | { readonly code: 'Newer'; readonly version: number; readonly known: number }
  | { readonly code: 'Damaged'; readonly problem: string }
  /** The end is missing: writing or copying it was cut short. */
  | { readonly code: 'Incomplete' }
  /** There is a store already. */
  | { readonly code: 'NotEmpty' };

export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly failure: BackupFailure;

  constructor(failure: BackupFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

export function damaged(problem: string): BackupError {
  return new BackupError({ code: 'Damaged', problem });
}

function describe(failure: BackupFailure): string {
  switch (failure.code) {
    case 'NotABackup':
      return 'Cannot read backup: the file is not a backup of Pintle';
    case 'Newer':
      return `Cannot read backup: its format ${failure.version} is newer than ${failure.known}, the newest known here`;
    case 'Damaged':
      return `Cannot read backup: ${failure.problem}`;
    case 'Incomplete':
      return 'Cannot read backup: its end is missing';
    case 'NotEmpty':
      return 'Cannot restore backup: there is a store already';
  }
}
