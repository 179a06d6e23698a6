import { SteppedClock } from '@pintle/async';
import { expect, test } from 'vitest';
import type { ApiResponse } from '../request/exchange.ts';
import { textResponse } from '../request/exchange.ts';
import type { RequestState } from '../request/pipeline.ts';
import { ResponseMemory, responseMemoryStage } from '../request/response-memory.ts';
import { bodyStage } from './body-stages.ts';

const MB = 1024 * 1024;
const MAX_BYTES = 64 * MB;
/** What a body costs while nothing of it has arrived. */
const STEP_BYTES = 32 * 1024;

function state(verb: string, username: string, body: AsyncIterable<Uint8Array> | Uint8Array): RequestState {
  const request = { signal: new AbortController().signal, peer: { address: '10.0.0.1' }, body };
  const info = { kind: 'resource', verb, subresource: '' };
  return { info, user: { username, groups: [] }, request, query: new URLSearchParams() } as unknown as RequestState;
}

async function* never(): AsyncGenerator<Uint8Array> {
  await new Promise(() => {});
  yield new Uint8Array(1);
}

async function* longBody(): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < 20; i++) yield new Uint8Array(10_000);
}

const served = async (): Promise<ApiResponse> => textResponse(200, '');

test.each([
  ['users', (index: number) => `user-${index}`],
  ['service accounts of a namespace', (index: number) => `system:serviceaccount:team:a-${index}`],
])('bodies that four %s never send keep no other client from being served', async (_who, nameOf) => {
  const memory = new ResponseMemory({ clock: new SteppedClock(), maxBytes: MAX_BYTES });
  const awaitBody = bodyStage(memory);
  const list = responseMemoryStage(memory);
  for (let index = 0; index < 4; index++) {
    for (let i = 0; i < MAX_BYTES / 4 / STEP_BYTES; i++)
      void awaitBody(state('create', nameOf(index), never()), served);
  }
  expect((await list(state('list', 'newcomer', new Uint8Array(0)), served)).status).toBe(200);
  expect((await awaitBody(state('create', 'newcomer', longBody()), served)).status).toBe(200);
});
