import type { Answer, TestApi } from './test-api.ts';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Creates a definition and waits until its resources are served. Returns the response that refused it, if one did. */
export async function define(
  api: TestApi,
  definition: { readonly metadata: { readonly name: string; readonly annotations?: object } },
): Promise<Answer> {
  const answer = await api.post(DEFINITIONS, definition);
  if (answer.status !== 201) return answer;
  return await until(api, `${DEFINITIONS}/${definition.metadata.name}`, ({ body }) =>
    conditionsOf(body).some(({ type, status }) => type === 'Established' && status === 'True'),
  );
}

/** Sends requests until the response is as wanted, without waiting for a clock. */
export async function until(api: TestApi, path: string, isWanted: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await api.get(path);
    if (isWanted(answer)) return answer;
    await new Promise(setImmediate);
  }
}

export function conditionsOf(
  body: Answer['body'],
): { type: string; status: string; reason: string; message: string }[] {
  return (body as { status?: { conditions?: [] } }).status?.conditions ?? [];
}
