import { hostPort } from './target.ts';

type NodeError = Error & {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly syscall?: string;
  readonly hostname?: string;
};

const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Describes a transport error in Go's words, which people search for. */
export function describeTransportError(error: unknown): string {
  const problem = firstOf(error);
  const code = problem.code ?? '';
  const at = problem.address === undefined ? '' : ` ${hostPort({ host: problem.address, port: problem.port ?? 0 })}`;
  if (UNKNOWN_AUTHORITY.has(code)) return certificateProblem('certificate signed by unknown authority');
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp${at}: connect: connection refused`;
    case 'ETIMEDOUT':
      return `dial tcp${at}: i/o timeout`;
    case 'EHOSTUNREACH':
      return `dial tcp${at}: connect: no route to host`;
    case 'ENETUNREACH':
      return `dial tcp${at}: connect: network is unreachable`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${problem.hostname ?? ''}: no such host`;
    case 'ECONNRESET':
    case 'EPIPE':
      return 'EOF';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return certificateProblem('certificate has expired or is not yet valid');
    default:
      return problem.message;
  }
}

export function certificateProblem(detail: string): string {
  return `tls: failed to verify certificate: x509: ${detail}`;
}

/** Returns the first error: a host with several addresses fails with one for each. */
function firstOf(error: unknown): NodeError {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  return inner instanceof Error ? (inner as NodeError) : new Error(String(inner));
}
