import { StatusError } from '@pintle/machinery/errors';

/** Returns the outcome of a command as the Status that clients read from the last message. */
export function commandStatus(
  outcome: { readonly exitCode: number } | { readonly error: unknown },
): Readonly<Record<string, unknown>> {
  if ('error' in outcome) return failure(outcome.error);
  const { exitCode } = outcome;
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

function failure(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof StatusError) return { ...error.status };
  const message = error instanceof Error ? error.message : String(error);
  return { metadata: {}, status: 'Failure', message, reason: 'InternalError', code: 500 };
}
