import type { ApiRequest, ApiResponse, Peer, UserInfo } from '@pintle/apiserver';
import { OBSERVE_VERB, PATHS, USER_AGENT } from '../protocol.ts';
import type { Answer } from './gateway.ts';

/** Holder of a credential: a connection with a certificate, a header, or both. */
export interface Shown {
  readonly peer: Peer;
  readonly authorization?: string | undefined;
  readonly signal: AbortSignal;
}

/** Asks the server for the user of a credential; `undefined` where it knows none. */
export async function whoIs(answer: Answer, shown: Shown): Promise<UserInfo | undefined> {
  const review = await ask(
    answer,
    shown,
    'authentication.k8s.io',
    'selfsubjectreviews',
    'SelfSubjectReview',
    undefined,
  );
  const found = (review?.status as { userInfo?: Partial<UserInfo> } | undefined)?.userInfo;
  if (found?.username === undefined || found.username === 'system:anonymous') return undefined;
  const { username, uid, groups = [], extra } = found;
  return { username, groups, ...(uid !== undefined && { uid }), ...(extra && { extra }) };
}

/** Asks the server whether a user may make links: roles grant it as `post` of the path, and only cluster-admin has it. */
export async function mayMakeLinks(answer: Answer, shown: Shown): Promise<boolean> {
  return await mayUse(answer, shown, PATHS.link, 'post');
}

/** Asks the server whether a user may see telemetry, which names objects of all namespaces. */
export async function mayObserve(answer: Answer, shown: Shown): Promise<boolean> {
  return await mayUse(answer, shown, PATHS.stream, OBSERVE_VERB);
}

async function mayUse(answer: Answer, shown: Shown, path: string, verb: string): Promise<boolean> {
  const spec = { nonResourceAttributes: { path, verb } };
  const review = await ask(
    answer,
    shown,
    'authorization.k8s.io',
    'selfsubjectaccessreviews',
    'SelfSubjectAccessReview',
    spec,
  );
  return (review?.status as { allowed?: boolean } | undefined)?.allowed === true;
}

async function ask(
  answer: Answer,
  { peer, authorization, signal }: Shown,
  group: string,
  resource: string,
  kind: string,
  spec: object | undefined,
): Promise<{ readonly status?: unknown } | undefined> {
  const body = Buffer.from(JSON.stringify({ apiVersion: `${group}/v1`, kind, ...(spec && { spec }) }));
  const request: ApiRequest = {
    method: 'POST',
    path: `/apis/${group}/v1/${resource}`,
    query: '',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': USER_AGENT,
      ...(authorization !== undefined && { authorization }),
    },
    body,
    signal,
    peer,
  };
  const response = await answer(request);
  if (response.status !== 201) return undefined;
  return JSON.parse((await bytesOf(response)).toString());
}

async function bytesOf({ body }: ApiResponse): Promise<Buffer> {
  if (body instanceof Uint8Array) return Buffer.from(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
