import type { ApiRequest, ApiResponse, UserInfo } from '@pintle/apiserver';
import { inProcess } from '@pintle/apiserver';
import { forbiddenError, serverResponseError } from '@pintle/machinery/errors';
import type { Store } from '@pintle/store';
import { writeBackup } from '@pintle/store/backup';
import type { BackupSeal } from './sealed-store.ts';

export interface BackupSource {
  readonly store: Store;
  readonly seal: BackupSeal;
  /** Judges what the user may read. */
  readonly server: { handle(request: ApiRequest): Promise<ApiResponse> };
}

interface BackupRequest {
  readonly method: string;
  readonly signal: AbortSignal;
  readonly user: UserInfo;
}

/**
 * Answers with a backup of the store while it goes on. Secrets in it are sealed with the keys that they are sealed with in the store.
 * A backup has every object, so the right to get the path is not enough: roles give all paths to users who may read little.
 */
export async function serveBackup(
  { store, seal, server }: BackupSource,
  { method, signal, user }: BackupRequest,
): Promise<ApiResponse> {
  if (method !== 'GET') throw serverResponseError({ code: 405, method });
  if (!(await mayListAll(server, user)))
    throw forbiddenError(undefined, '', `User ${JSON.stringify(user.username)} may not list every object`);
  return {
    status: 200,
    headers: { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
    body: writeBackup(store, { ...seal, now: new Date(), signal }),
  };
}

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const REVIEW = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { resourceAttributes: { group: '*', resource: '*', verb: 'list' } },
};

async function mayListAll(server: BackupSource['server'], user: UserInfo): Promise<boolean> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const body = Buffer.from(JSON.stringify(REVIEW));
  const response = await inProcess(server, user)({ method: 'POST', path: REVIEWS, headers, body });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body instanceof Uint8Array ? [response.body] : response.body) chunks.push(chunk);
  if (response.status !== 201) return false;
  return JSON.parse(Buffer.concat(chunks).toString()).status?.allowed === true;
}
