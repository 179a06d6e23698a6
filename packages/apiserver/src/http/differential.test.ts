import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { SeededRandom, systemRandom } from '@pintle/async';
import type { Field } from '@pintle/http2';
import { encodeHeaders, FLAG, FRAME, headersFrames, PREFACE, settingsFrame, windowUpdateFrame } from '@pintle/http2';
import { FrameLog, frame } from '@pintle/http2/testing';
import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import { beforeAll, expect, test } from 'vitest';
import type { ApiRequest, ApiResponse } from '../request/exchange.ts';
import { textResponse } from '../request/exchange.ts';
import type { Http2Choice } from './http-listener.ts';
import { HttpsListener } from './https-listener.ts';
import { BodyTooLarge, readBody } from './read-body.ts';

const REQUESTS = 300;

let authority: KeyPair;
let pair: KeyPair;

beforeAll(async () => {
  authority = await createAuthority('test', 1, Date.now());
  const usage = { commonName: 's', hosts: ['127.0.0.1'], usage: 'server', days: 1 } as const;
  pair = await issueCertificate(authority, usage, Date.now());
});

/** Answers with all that a handler can see of a request, in a form that its path chooses. */
async function handle(request: ApiRequest): Promise<ApiResponse> {
  const { method, path, query, headers } = request;
  if (path === '/fails') throw new Error('fails');
  if (path === '/empty') return { status: 204, headers: {}, body: new Uint8Array(0) };
  const body = await readBody(request, 50_000).catch((error: unknown) => error as Error);
  if (body instanceof Error) return textResponse(body instanceof BodyTooLarge ? 413 : 400, body.name);
  const digest = createHash('sha1').update(body).digest('hex');
  const text = JSON.stringify({ method, path, query, headers: Object.entries(headers).sort(), digest });
  if (path === '/chunks') return { status: 200, headers: { 'content-type': 'a/b' }, body: chunks(text) };
  if (path === '/large') return textResponse(200, text.padEnd(700_000, '.'));
  return textResponse(201, text, { warning: '299 - "ä"', 'x-list': 'a, b' });
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 50) yield Buffer.from(text.slice(at, at + 50));
}

interface Sent {
  readonly fields: readonly Field[];
  readonly body: Buffer;
}

const PATHS = ['/', '/a/b%2Fc', '/chunks', '/large', '/empty', '/fails', '*', `/${'u'.repeat(9_000)}`, 'https://a/x'];

/** A request that every implementation has to understand, though few clients would send it. */
function drawRequest(random: SeededRandom): Sent {
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!;
  const method = pick(['GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'FROB']);
  const body = Buffer.alloc(pick([0, 0, 1, 700, 20_000, 60_000]), random.below(256));
  const fields: Field[] = [
    [':method', method],
    [':scheme', 'https'],
    [':authority', pick(['a', 'a:443', '[::1]:6443'])],
    [':path', `${pick(PATHS)}${pick(['', '?', '?a=b&c=%20', '?watch=1'])}`],
  ];
  const names = [
    'accept',
    'authorization',
    'cookie',
    'impersonate-user',
    'impersonate-group',
    'x-a',
    '__proto__',
    'via',
  ];
  const values = ['', 'a', 'b, c', 'with  spaces', 'tab\tin it', '\xe4\xff', 'x'.repeat(300)];
  for (let count = random.below(12); count > 0; count--) fields.push([pick(names), pick(values)]);
  if (random.next() < 0.1) fields.push(['host', 'other']);
  if (random.next() < 0.1) fields.push(['te', 'trailers']);
  const isTooMuch = random.next() < 0.05;
  // Where two things are wrong, either may be answered.
  if (isTooMuch) fields[3] = [':path', '/'];
  if (isTooMuch && random.next() < 0.5) for (let i = 0; i < 4_000; i++) fields.push([`h${i}`, 'x']);
  else if (isTooMuch) for (let i = 0; i < 120; i++) fields.push([`l${i}`, 'x'.repeat(600)]);
  if (random.next() < 0.5 && method !== 'GET' && method !== 'HEAD') fields.push(['content-length', `${body.length}`]);
  return { fields, body: method === 'GET' || method === 'HEAD' ? Buffer.alloc(0) : body };
}

class Connection {
  readonly #log: FrameLog;
  #id = -1;

  static async open({ port }: HttpsListener): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', ca: authority.certificate, ALPNProtocols: ['h2'] });
    await once(socket, 'secureConnect');
    return new Connection(socket);
  }

  constructor(socket: TLSSocket) {
    this.#log = new FrameLog(socket);
    this.#log.write(PREFACE, settingsFrame([[4, 2 ** 30]]), windowUpdateFrame(0, 2 ** 30));
  }

  /** The answer as one text: the status, the headers in order, without the date, and the body; or that there is none. */
  async ask({ fields, body }: Sent): Promise<string> {
    this.#id += 2;
    const id = this.#id;
    const log = this.#log;
    log.frames.length = 0;
    log.write(...headersFrames(id, encodeHeaders(fields), body.length === 0));
    for (let at = 0; at < body.length; at += 10_000) {
      const part = body.subarray(at, at + 10_000);
      log.write(frame(FRAME.data, at + part.length === body.length ? FLAG.endStream : 0, id, part));
    }
    const isLast = ({ type, flags, streamId }: FrameLog['frames'][number]) =>
      streamId === id && (type === FRAME.reset || (type <= FRAME.headers && (flags & FLAG.endStream) !== 0));
    const last = await log.until(() => log.frames.find(isLast));
    const head = log.all(FRAME.headers, id).find((seen) => seen.fields !== undefined)?.fields;
    if (last.type === FRAME.reset && last.payload.readUInt32BE(0) !== 0) return 'reset';
    const text = Buffer.concat(log.all(FRAME.data, id).map(({ payload }) => payload)).toString('latin1');
    const shown = head!.filter(([name]) => name !== 'date').map(([name, value]) => `${name}: ${value}`);
    return `${shown.sort().join('\n')}\n\n${text}`;
  }
}

async function listen(http2: Http2Choice): Promise<HttpsListener> {
  return await HttpsListener.listen({ handle, ...pair, http2 });
}

test('both servers give the same answers to the same random requests over HTTP/2', async () => {
  const seed = process.env.SEED ?? systemRandom.below(2 ** 31);
  console.log(`random requests: SEED=${seed}`);
  const random = new SeededRandom(String(seed));
  await using fast = await listen('fast');
  await using node = await listen('node');
  const [first, second] = [await Connection.open(fast), await Connection.open(node)];
  const statuses = new Set<string>();
  for (let count = 0; count < REQUESTS; count++) {
    const request = drawRequest(random);
    const [ours, theirs] = [await first.ask(request), await second.ask(request)];
    statuses.add(/:status: (\d+)/.exec(ours)?.[1] ?? ours);
    const said = JSON.stringify(request.fields).slice(0, 500);
    expect(theirs, `SEED=${seed}, request ${count}: ${said}, ${request.body.length} bytes`).toBe(ours);
  }
  expect([...statuses].sort()).toEqual(['201', '200', '204', '413', '414', '431', 'reset'].sort());
});

test.each<[string, Field]>([
  ['a space before its value', ['impersonate-user', ' jane']],
  ['a control in its value', ['impersonate-user', 'jane\0']],
  ['a space in its name', ['impersonate user', 'jane']],
])('they differ for a field with %s: ours refuses the request, Node leaves the field out', async (_what, field) => {
  await using fast = await listen('fast');
  await using node = await listen('node');
  const fields: Field[] = [[':method', 'GET'], [':scheme', 'https'], [':authority', 'a'], [':path', '/'], field];
  const request = { fields, body: Buffer.alloc(0) };
  expect(await (await Connection.open(fast)).ask(request)).toBe('reset');
  const answer = await (await Connection.open(node)).ask(request);
  expect(answer).toContain(':status: 201');
  expect(answer).not.toContain('jane');
});
