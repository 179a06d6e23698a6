import { table } from '@pintle/machinery/table';

const ACTIONS: Readonly<Record<string, string>> = table({
  mkdir: 'create the folder',
  open: 'open',
  rename: 'write',
  stat: 'open',
});
const REASONS: Readonly<Record<string, string>> = table({
  EACCES: 'permission denied',
  EEXIST: 'a file with this name exists',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
});

/** Returns the message for a file that cannot be used; `undefined` for errors that are not about files. */
export function fileProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', syscall = '', path } = error as NodeJS.ErrnoException;
  const reason = REASONS[code];
  if (reason === undefined || path === undefined) return undefined;
  return `Cannot ${ACTIONS[syscall] ?? 'use'} ${path}: ${reason}`;
}
