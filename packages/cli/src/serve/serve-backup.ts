import type { ApiResponse } from '@pintle/apiserver';
import { serverResponseError } from '@pintle/machinery/errors';
import type { Store } from '@pintle/store';
import { writeBackup } from '@pintle/store/backup';
import type { BackupSeal } from './sealed-store.ts';

interface BackupRequest {
  readonly method: string;
  readonly signal: AbortSignal;
}

/** Answers with a backup of the store while it goes on. Secrets in it are sealed with the keys that they are sealed with in the store. */
export function serveBackup(store: Store, seal: BackupSeal, { method, signal }: BackupRequest): ApiResponse {
  if (method !== 'GET') throw serverResponseError({ code: 405, method });
  return {
    status: 200,
    headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
    body: writeBackup(store, { ...seal, now: new Date(), signal }),
  };
}
