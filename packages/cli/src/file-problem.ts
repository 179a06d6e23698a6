import { table } from '@pintle/machinery/table';

const ACTIONS: Readonly<Record<string, string>> = table({
  mkdir: 'make the folder',
  open: 'open',
  rename: 'write',
  stat: 'open',
});
const REASONS: Readonly<Record<string, string>> = table({
  EACCES: 'that is not allowed',
  EEXIST: 'there is a file of that name',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is no folder',
  EPERM: 'that is not allowed',
  EROFS: 'nothing can be written there',
});

/** What a person should know of a file that could not be used; `undefined` when the error is about something else. */
export function fileProblem(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', syscall = '', path } = error as NodeJS.ErrnoException;
  const reason = REASONS[code];
  if (reason === undefined || path === undefined) return undefined;
  return `Cannot ${ACTIONS[syscall] ?? 'use'} ${path}: ${reason}`;
}
