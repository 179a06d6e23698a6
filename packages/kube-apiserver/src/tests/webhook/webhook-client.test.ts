import type { WebhookClientConfig } from '@pintle/apiserver/webhook';
import { WebhookClient } from '@pintle/apiserver/webhook';
import { realClock, SteppedClock } from '@pintle/async';
import { createAuthority } from '@pintle/pki';
import { expect, test } from 'vitest';
import type { WebhookAnswer } from '../../testing/open-webhook.ts';
import { openWebhook } from '../../testing/open-webhook.ts';

const REVIEW = { apiVersion: 'example.com/v1', kind: 'Review' };

async function ask(
  answer: WebhookAnswer,
  change: (config: WebhookClientConfig) => WebhookClientConfig = (same) => same,
) {
  await using hook = await openWebhook(() => answer);
  await using client = new WebhookClient({
    clock: realClock,
    resolveService: async () => ({ host: 'localhost', port: hook.port }),
  });
  const clientConfig = change({ url: `${hook.url}/ask`, caBundle: hook.caBundle });
  return await client.post({
    clientConfig,
    body: { a: 1 },
    responseKinds: [REVIEW],
    timeoutMs: 5_000,
    limits: { maxBytes: 1_000 },
  });
}

test('one connection serves call after call', async () => {
  await using hook = await openWebhook((body) => ({ ...REVIEW, got: body }));
  await using client = new WebhookClient({ clock: realClock });
  const clientConfig = { url: `${hook.url}/ask`, caBundle: hook.caBundle };
  for (const n of [1, 2, 3]) {
    const answer = await client.post({ clientConfig, body: { n }, responseKinds: [REVIEW], timeoutMs: 5_000 });
    expect(answer).toEqual({ ...REVIEW, got: { n } });
  }
  expect(hook.connections()).toBe(1);
});

test.each<[string, WebhookAnswer, string]>([
  [
    'an empty answer',
    { statusCode: 200, text: '' },
    '0-length response with status code: 200 and content type: application/json',
  ],
  [
    'an error',
    { statusCode: 500, text: 'secret' },
    'an error on the server ("unknown") has prevented the request from succeeding',
  ],
  [
    'a redirect',
    { statusCode: 302, text: '', headers: { location: 'https://127.0.0.1:1/' } },
    'the server responded with the status code 302 but did not return more information',
  ],
  ['a Status', { statusCode: 404, text: '{"kind":"Status","status":"Failure","message":"not here"}' }, 'not here'],
  [
    'another kind',
    { apiVersion: 'example.com/v2', kind: 'Review' },
    'no kind "Review" is registered for version "example.com/v2" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"',
  ],
  [
    'a Status that is no refusal',
    { apiVersion: 'v1', kind: 'Status' },
    'converting (v1.Status) to (v1.Review): unknown conversion',
  ],
  ['a version of too many parts', { apiVersion: 'a/b/c', kind: 'Review' }, 'unexpected GroupVersion string: a/b/c'],
  ['too much', { ...REVIEW, text: 'x'.repeat(2_000) }, 'the response is longer than 1000 bytes'],
  [
    'no object',
    { statusCode: 200, text: 'hello' },
    `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  ],
])('%s is refused in Kubernetes’ words', async (_what, answer, message) => {
  await expect(ask(answer)).rejects.toThrow(expect.objectContaining({ message }));
});

test('an answer that does not say its kind passes', async () => {
  expect(await ask({ response: {} })).toEqual({ response: {} });
  expect(await ask({ kind: REVIEW.kind })).toEqual({ kind: REVIEW.kind });
  expect(await ask({ apiVersion: REVIEW.apiVersion })).toEqual({ apiVersion: REVIEW.apiVersion });
  expect(await ask({ statusCode: 200, text: 'null' })).toEqual({});
});

test('a service is called by its name, wherever it is', async () => {
  const named = ask(REVIEW, ({ caBundle = '' }) => ({
    service: { namespace: 'ns', name: 'hook', path: '/x' },
    caBundle,
  }));
  await expect(named).rejects.toThrow(
    'Post "https://hook.ns.svc:443/x?timeout=5s": tls: failed to verify certificate: x509: certificate is valid for localhost, not hook.ns.svc',
  );
});

test('a service that is not there is said to be missing', async () => {
  await using client = new WebhookClient({ clock: realClock });
  const clientConfig = { service: { namespace: 'ns', name: 'missing' } };
  await expect(client.post({ clientConfig, body: {}, responseKinds: [], timeoutMs: 1_000 })).rejects.toThrow(
    'Post "https://missing.ns.svc:443/?timeout=1s": service "missing" not found',
  );
});

test('only the authorities of the bundle are trusted', async () => {
  const other = await createAuthority('other', 1, Date.now());
  const caBundle = Buffer.from(other.certificate).toString('base64');
  await expect(ask(REVIEW, (config) => ({ ...config, caBundle }))).rejects.toThrow(
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  );
});

test('who is not there refuses the connection', async () => {
  await expect(ask(REVIEW, (config) => ({ ...config, url: 'https://127.0.0.1:1/ask' }))).rejects.toThrow(
    'Post "https://127.0.0.1:1/ask?timeout=5s": dial tcp 127.0.0.1:1: connect: connection refused',
  );
});

test('a call ends when its time is over', async () => {
  const clock = new SteppedClock({ startMs: 0 });
  await using hook = await openWebhook(async () => {
    await clock.advance(1_000);
    return REVIEW;
  });
  await using client = new WebhookClient({ clock });
  const clientConfig = { url: `${hook.url}/slow`, caBundle: hook.caBundle };
  await expect(client.post({ clientConfig, body: {}, responseKinds: [REVIEW], timeoutMs: 1_000 })).rejects.toThrow(
    /slow\?timeout=1s": context deadline exceeded/,
  );
});

test('a call whose caller has gone rejects with the caller’s reason', async () => {
  const gone = new AbortController();
  await using hook = await openWebhook(() => {
    gone.abort(new Error('nobody waits'));
    return REVIEW;
  });
  await using client = new WebhookClient({ clock: realClock });
  const clientConfig = { url: hook.url, caBundle: hook.caBundle };
  const call = { clientConfig, body: {}, responseKinds: [REVIEW], timeoutMs: 5_000, signal: gone.signal };
  await expect(client.post(call)).rejects.toThrow('nobody waits');
});

test.each(['169.254.169.254', '2852039166', '0251.0376.0251.0376', '[fe80::1]', '0.0.0.0', '0177.1'])(
  'nothing is sent to %s, however it came to be the address',
  async (host) => {
    await using client = new WebhookClient({
      clock: realClock,
      resolveService: async () => ({ host: host.replace(/^\[|\]$/g, ''), port: 443 }),
    });
    const post = (clientConfig: WebhookClientConfig) =>
      client.post({ clientConfig, body: {}, responseKinds: [REVIEW], timeoutMs: 5_000 });
    const service = { namespace: 'a', name: 'b' };
    await expect(post({ service, caBundle: '' })).rejects.toThrow('the address is not allowed');
    if (host !== '0177.1')
      await expect(post({ url: `https://${host}/` })).rejects.toThrow('the address is not allowed');
  },
);
