import type { Reason } from '../frames.ts';
import {
  FLAG,
  FRAME,
  frameOf,
  HEAD_BYTES,
  headersFrames,
  PREFACE,
  pingFrame,
  resetFrame,
  SETTING,
  settingsFrame,
  windowUpdateFrame,
} from '../frames.ts';
import type { Field } from '../headers.ts';
import { encodeHeaders } from '../headers.ts';

/** Our end that a rule binds: the server or the client. */
export type End = 'server' | 'client';

/** Reaction of an end to a breach: it ends the connection or the stream with that error code, or it goes on. */
export type Reaction = `goaway ${Reason}` | `reset ${Reason}` | 'goes on';

/** A rule for the peer, and the reaction of our end when the peer breaks it, or does something that must be tolerated. */
export interface Breach {
  /** Section of RFC 9113 unless another RFC is named. */
  readonly section: string;
  readonly rule: string;
  readonly ends: readonly End[];
  /** Sent on a connection on which `OPEN_STREAM` is open. With `isFirst`, they are all that the peer ever sends. */
  readonly bytes: (end: End) => Buffer;
  readonly isFirst?: true;
  readonly reaction: Reaction | Readonly<Record<End, Reaction>>;
}

/** A rule for our end. Each end that it binds has a test of its name. */
export interface Duty {
  readonly section: string;
  readonly rule: string;
  readonly ends: readonly End[];
}

/** A request whose body has not ended, and to which no part of a response was sent. */
export const OPEN_STREAM = 1;

const BOTH = ['server', 'client'] as const;
const SERVER = ['server'] as const;
const CLIENT = ['client'] as const;

export const REQUEST: readonly Field[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'a'],
  [':path', '/a'],
];
export const RESPONSE: readonly Field[] = [[':status', '200']];

export function frame(type: number, flags: number, streamId: number, payload: Uint8Array | string = ''): Buffer {
  const bytes = Buffer.from(payload as Uint8Array);
  const whole = frameOf({ type, flags, streamId }, bytes.length);
  whole.set(bytes, HEAD_BYTES);
  return whole;
}

/** Stream on which the peer may begin a message: a new request, or the response to the open one. */
const messageStream = (end: End): number => (end === 'server' ? OPEN_STREAM + 2 : OPEN_STREAM);
const startOf = (end: End): readonly Field[] => (end === 'server' ? REQUEST : RESPONSE);

/** A whole header block on the stream of messages. */
const block =
  (hex: string) =>
  (end: End): Buffer =>
    frame(
      FRAME.headers,
      FLAG.endHeaders | FLAG.endStream,
      messageStream(end),
      Buffer.from(hex.replaceAll(' ', ''), 'hex'),
    );

/** A message with these fields after the required ones. */
const message =
  (...fields: readonly Field[]) =>
  (end: End): Buffer =>
    fieldsOn(end, [...startOf(end), ...fields]);

function fieldsOn(end: End, fields: readonly Field[], isLast = true): Buffer {
  return Buffer.concat(headersFrames(messageStream(end), encodeHeaders(fields), isLast));
}

/** A message without its end, with these frames after its headers. */
const begun =
  (fields: readonly Field[], ...behind: readonly ((streamId: number) => Buffer)[]) =>
  (end: End): Buffer =>
    Buffer.concat([
      fieldsOn(end, [...startOf(end), ...fields], false),
      ...behind.map((make) => make(messageStream(end))),
    ]);

const data =
  (text: string | Uint8Array, flags = 0) =>
  (streamId: number): Buffer =>
    frame(FRAME.data, flags, streamId, Buffer.from(text as Uint8Array));
const open =
  (type: number, flags: number, payload: Uint8Array | string = '') =>
  (): Buffer =>
    frame(type, flags, OPEN_STREAM, payload);
const connection =
  (type: number, flags: number, payload: Uint8Array | string = '') =>
  (): Buffer =>
    frame(type, flags, 0, payload);
const settings = (id: number, value: number) => (): Buffer => settingsFrame([[id, value]]);
const ping = (): Buffer => pingFrame(Buffer.alloc(8));

const IDLE_STREAM = 99;
const STREAM_ERROR = 'reset PROTOCOL_ERROR';
const CONNECTION_ERROR = 'goaway PROTOCOL_ERROR';
const SIZE_ERROR = 'goaway FRAME_SIZE_ERROR';
const CODING_ERROR = 'goaway COMPRESSION_ERROR';

function breach(
  section: string,
  rule: string,
  ends: readonly End[],
  reaction: Breach['reaction'],
  bytes: Breach['bytes'],
): Breach {
  return { section, rule, ends, reaction, bytes };
}

const first = (rule: Breach): Breach => ({ ...rule, isFirst: true });

export const BREACHES: readonly Breach[] = [
  // Beginning
  first(
    breach('3.4', 'a client begins with the preface', SERVER, CONNECTION_ERROR, () =>
      Buffer.from('GET / HTTP/1.1\r\nhost: a\r\n\r\n'),
    ),
  ),
  first(
    breach('3.4', 'settings are the first frame', BOTH, CONNECTION_ERROR, (end) =>
      end === 'server' ? Buffer.concat([PREFACE, ping()]) : ping(),
    ),
  ),
  first(
    breach('3.4', 'an acknowledgement is not the settings to begin with', BOTH, CONNECTION_ERROR, (end) =>
      Buffer.concat([...(end === 'server' ? [PREFACE] : []), frame(FRAME.settings, FLAG.ack, 0)]),
    ),
  ),
  // Frames
  breach('4.1', 'frames of an unknown type are ignored', BOTH, 'goes on', open(99, 0xff, 'anything')),
  breach('4.1', 'flags without a meaning are ignored', BOTH, 'goes on', connection(FRAME.ping, 0xfe, '12345678')),
  breach('4.1', 'the reserved bit of a stream identifier is ignored', BOTH, 'goes on', () => {
    const bytes = ping();
    bytes[5]! |= 0x80;
    return bytes;
  }),
  breach('4.2', 'no frame is longer than was allowed', BOTH, SIZE_ERROR, () =>
    frameOf({ type: FRAME.data, flags: 0, streamId: OPEN_STREAM }, 16_385, 0),
  ),
  breach('4.3', 'a header block can be decoded', BOTH, CODING_ERROR, block('ff')),
  breach('4.3', 'no frame comes between those of a header block', BOTH, CONNECTION_ERROR, (end) =>
    Buffer.concat([frame(FRAME.headers, 0, messageStream(end)), ping()]),
  ),
  breach('4.3', 'DATA does not come between the frames of a header block', BOTH, CONNECTION_ERROR, (end) =>
    Buffer.concat([frame(FRAME.headers, 0, messageStream(end)), data('x')(OPEN_STREAM)]),
  ),
  breach('4.3', 'a header block goes on with frames of its own stream', BOTH, CONNECTION_ERROR, (end) =>
    Buffer.concat([
      frame(FRAME.headers, 0, messageStream(end)),
      frame(FRAME.continuation, FLAG.endHeaders, IDLE_STREAM),
    ]),
  ),
  // Streams
  breach('5.1', 'an idle stream gets no DATA', BOTH, CONNECTION_ERROR, () => data('x')(IDLE_STREAM)),
  breach('5.1', 'an idle stream gets no WINDOW_UPDATE', BOTH, CONNECTION_ERROR, () =>
    windowUpdateFrame(IDLE_STREAM, 1),
  ),
  breach('5.1', 'an idle stream is not reset', BOTH, CONNECTION_ERROR, () => resetFrame(IDLE_STREAM, 'CANCEL')),
  breach(
    '5.1',
    'a stream that its sender has ended gets no DATA',
    BOTH,
    { server: 'reset STREAM_CLOSED', client: 'goaway STREAM_CLOSED' },
    (end) =>
      Buffer.concat([
        ...(end === 'server' ? [frame(FRAME.data, FLAG.endStream, OPEN_STREAM)] : [fieldsOn(end, RESPONSE)]),
        data('x')(OPEN_STREAM),
      ]),
  ),
  breach(
    '5.1',
    'a stream that its sender has ended gets no HEADERS',
    BOTH,
    { server: 'reset STREAM_CLOSED', client: 'goaway STREAM_CLOSED' },
    (end) =>
      Buffer.concat([
        ...(end === 'server' ? [frame(FRAME.data, FLAG.endStream, OPEN_STREAM)] : [fieldsOn(end, RESPONSE)]),
        frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, OPEN_STREAM, encodeHeaders([['a', 'b']])),
      ]),
  ),
  breach('5.1', 'a stream that was reset is not used again', SERVER, 'goaway STREAM_CLOSED', () =>
    Buffer.concat([
      resetFrame(OPEN_STREAM, 'CANCEL'),
      frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, OPEN_STREAM, encodeHeaders(REQUEST)),
    ]),
  ),
  breach('5.1.1', 'each end opens streams with its own numbers', BOTH, CONNECTION_ERROR, (end) =>
    frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 2, encodeHeaders(startOf(end))),
  ),
  breach('5.1.1', 'a new stream has a higher number than those before', SERVER, CONNECTION_ERROR, () =>
    Buffer.concat(
      [7, 5].map((id) => frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, id, encodeHeaders(REQUEST))),
    ),
  ),
  breach('5.3.2', 'priorities are taken and mean nothing', BOTH, 'goes on', open(FRAME.priority, 0, '\0\0\0\0\x10')),
  breach('5.5', 'unknown settings are ignored', BOTH, 'goes on', settings(0xf0f0, 1)),
  // DATA, HEADERS, PRIORITY, RST_STREAM
  breach('6.1', 'DATA is of a stream', BOTH, CONNECTION_ERROR, () => data('x')(0)),
  breach(
    '6.1',
    'padding is shorter than its DATA frame',
    BOTH,
    CONNECTION_ERROR,
    begun([], data('\x04pad', FLAG.padded)),
  ),
  breach('6.1', 'a padded DATA frame says how much pads it', BOTH, SIZE_ERROR, begun([], data('', FLAG.padded))),
  breach('6.2', 'HEADERS are of a stream', BOTH, CONNECTION_ERROR, connection(FRAME.headers, FLAG.endHeaders)),
  breach('6.2', 'padding is shorter than its HEADERS frame', BOTH, CONNECTION_ERROR, (end) =>
    frame(FRAME.headers, FLAG.padded | FLAG.endHeaders, messageStream(end), '\x09abc'),
  ),
  breach('6.2', 'a HEADERS frame holds the fields its flags announce', BOTH, SIZE_ERROR, (end) =>
    frame(FRAME.headers, FLAG.priority | FLAG.endHeaders, messageStream(end), 'abc'),
  ),
  breach('6.3', 'PRIORITY is of a stream', BOTH, CONNECTION_ERROR, connection(FRAME.priority, 0, '\0\0\0\0\0')),
  breach('6.3', 'PRIORITY has five bytes', BOTH, SIZE_ERROR, open(FRAME.priority, 0, '\0\0\0\0')),
  breach('6.4', 'RST_STREAM is of a stream', BOTH, CONNECTION_ERROR, connection(FRAME.reset, 0, '\0\0\0\0')),
  breach('6.4', 'RST_STREAM has four bytes', BOTH, SIZE_ERROR, open(FRAME.reset, 0, '\0\0\0')),
  // SETTINGS, PUSH_PROMISE, PING, GOAWAY
  breach('6.5', 'SETTINGS are of the connection', BOTH, CONNECTION_ERROR, open(FRAME.settings, 0)),
  breach(
    '6.5',
    'an acknowledgement of SETTINGS has no payload',
    BOTH,
    SIZE_ERROR,
    connection(FRAME.settings, FLAG.ack, '123456'),
  ),
  breach('6.5', 'SETTINGS are whole', BOTH, SIZE_ERROR, connection(FRAME.settings, 0, '12345')),
  breach('6.5.2', 'ENABLE_PUSH is 0 or 1', BOTH, CONNECTION_ERROR, settings(SETTING.enablePush, 2)),
  breach('6.5.2', 'a server does not enable pushes', CLIENT, CONNECTION_ERROR, settings(SETTING.enablePush, 1)),
  breach(
    '6.5.2',
    'INITIAL_WINDOW_SIZE is a window',
    BOTH,
    'goaway FLOW_CONTROL_ERROR',
    settings(SETTING.initialWindowSize, 2 ** 31),
  ),
  breach('6.5.2', 'MAX_FRAME_SIZE is at least 2^14', BOTH, CONNECTION_ERROR, settings(SETTING.maxFrameSize, 16_383)),
  breach('6.5.2', 'MAX_FRAME_SIZE is below 2^24', BOTH, CONNECTION_ERROR, settings(SETTING.maxFrameSize, 2 ** 24)),
  breach(
    '6.6',
    'nothing is pushed to an end that has not allowed it',
    BOTH,
    CONNECTION_ERROR,
    open(FRAME.pushPromise, FLAG.endHeaders, '\0\0\0\x02'),
  ),
  breach('6.7', 'PING is of the connection', BOTH, CONNECTION_ERROR, open(FRAME.ping, 0, '12345678')),
  breach('6.7', 'PING has eight bytes', BOTH, SIZE_ERROR, connection(FRAME.ping, 0, '1234567')),
  breach('6.8', 'GOAWAY is of the connection', BOTH, CONNECTION_ERROR, open(FRAME.goAway, 0, '12345678')),
  breach('6.8', 'GOAWAY names a stream and a reason', BOTH, SIZE_ERROR, connection(FRAME.goAway, 0, '1234567')),
  // WINDOW_UPDATE, CONTINUATION
  breach('6.9', 'the window of a stream grows by something', BOTH, STREAM_ERROR, () =>
    windowUpdateFrame(OPEN_STREAM, 0),
  ),
  breach('6.9', 'the window of the connection grows by something', BOTH, CONNECTION_ERROR, () =>
    windowUpdateFrame(0, 0),
  ),
  breach('6.9', 'WINDOW_UPDATE has four bytes', BOTH, SIZE_ERROR, connection(FRAME.windowUpdate, 0, '123')),
  breach('6.9.1', 'the window of a stream stays below 2^31', BOTH, 'reset FLOW_CONTROL_ERROR', () =>
    Buffer.concat([windowUpdateFrame(OPEN_STREAM, 2 ** 31 - 1), windowUpdateFrame(OPEN_STREAM, 2 ** 31 - 1)]),
  ),
  breach('6.9.1', 'the window of the connection stays below 2^31', BOTH, 'goaway FLOW_CONTROL_ERROR', () =>
    Buffer.concat([windowUpdateFrame(0, 2 ** 31 - 1), windowUpdateFrame(0, 2 ** 31 - 1)]),
  ),
  breach(
    '6.9.1',
    'no more DATA comes than the window of its stream allows',
    BOTH,
    'reset FLOW_CONTROL_ERROR',
    (end) => {
      const length = end === 'server' ? 17 : 257;
      const body = Array.from({ length }, () => data(Buffer.alloc(16_384))(OPEN_STREAM));
      return Buffer.concat(end === 'server' ? body : [fieldsOn(end, RESPONSE, false), ...body]);
    },
  ),
  breach(
    '6.9.2',
    'a changed first window leaves those of open streams below 2^31',
    BOTH,
    'goaway FLOW_CONTROL_ERROR',
    () =>
      Buffer.concat([
        settingsFrame([[SETTING.initialWindowSize, 0]]),
        windowUpdateFrame(OPEN_STREAM, 2 ** 31 - 1),
        settingsFrame([[SETTING.initialWindowSize, 2 ** 31 - 1]]),
      ]),
  ),
  breach(
    '6.10',
    'CONTINUATION goes on with headers that were begun',
    BOTH,
    CONNECTION_ERROR,
    open(FRAME.continuation, FLAG.endHeaders),
  ),
  breach(
    '6.10',
    'CONTINUATION is of a stream',
    BOTH,
    CONNECTION_ERROR,
    connection(FRAME.continuation, FLAG.endHeaders),
  ),
  // Messages
  breach('8.1', 'a message begins with HEADERS', CLIENT, STREAM_ERROR, () => data('x')(OPEN_STREAM)),
  breach(
    '8.1',
    'trailers end their stream',
    BOTH,
    STREAM_ERROR,
    begun([], data('x'), (id) => frame(FRAME.headers, FLAG.endHeaders, id, encodeHeaders([['a', 'b']]))),
  ),
  breach(
    '8.1',
    'trailers have no pseudo-header',
    BOTH,
    STREAM_ERROR,
    begun([], (id) => frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, id, encodeHeaders([[':status', '200']]))),
  ),
  breach('8.1', 'an interim response does not end its stream', CLIENT, STREAM_ERROR, (end) =>
    fieldsOn(end, [[':status', '100']]),
  ),
  breach(
    '8.1.1',
    'a body is not longer than its content-length',
    BOTH,
    STREAM_ERROR,
    begun([['content-length', '3']], data('abcd')),
  ),
  breach(
    '8.1.1',
    'a body is not shorter than its content-length',
    BOTH,
    STREAM_ERROR,
    begun([['content-length', '3']], data('ab', FLAG.endStream)),
  ),
  breach(
    '8.1.1',
    'a content-length is one number',
    BOTH,
    STREAM_ERROR,
    message(['content-length', '1'], ['content-length', '2']),
  ),
  breach('8.2.1', 'field names have no capitals', BOTH, STREAM_ERROR, message(['Accept', 'a'])),
  breach('8.2.1', 'field names are not empty', BOTH, STREAM_ERROR, message(['', 'a'])),
  breach(
    '8.2.1',
    'field names have no spaces, controls or bytes above 0x7f',
    BOTH,
    STREAM_ERROR,
    message(['a b', 'a']),
  ),
  breach('8.2.1', 'field names have no colon but at their start', BOTH, STREAM_ERROR, message(['a:b', 'a'])),
  ...['\0', '\r', '\n'].map((control) =>
    breach(
      '8.2.1',
      `field values have no ${JSON.stringify(control)}`,
      BOTH,
      STREAM_ERROR,
      message(['a', `b${control}c`]),
    ),
  ),
  ...[' b', 'b ', '\tb', 'b\t'].map((value) =>
    breach(
      '8.2.1',
      `field values neither begin nor end with space: ${JSON.stringify(value)}`,
      BOTH,
      STREAM_ERROR,
      message(['a', value]),
    ),
  ),
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'].map((name) =>
    breach('8.2.2', `fields of connections are not used: ${name}`, BOTH, STREAM_ERROR, message([name, 'close'])),
  ),
  breach('8.2.2', 'te has no value but trailers', SERVER, STREAM_ERROR, message(['te', 'gzip'])),
  breach('8.3', 'pseudo-headers come before other fields', BOTH, STREAM_ERROR, (end) =>
    fieldsOn(end, [['a', 'b'], ...startOf(end)]),
  ),
  breach('8.3', 'there are no other pseudo-headers', BOTH, STREAM_ERROR, message([':other', 'a'])),
  breach('8.3', 'no pseudo-header comes twice', BOTH, STREAM_ERROR, (end) =>
    fieldsOn(end, [startOf(end)[0]!, ...startOf(end)]),
  ),
  breach('8.3', 'requests and responses have pseudo-headers of their own', BOTH, STREAM_ERROR, (end) =>
    message(end === 'server' ? [':status', '200'] : [':path', '/'])(end),
  ),
  ...[':method', ':scheme', ':path'].map((name) =>
    breach('8.3.1', `a request has ${name}`, SERVER, STREAM_ERROR, (end) =>
      fieldsOn(
        end,
        REQUEST.filter(([other]) => other !== name),
      ),
    ),
  ),
  breach('8.3.1', 'a path is not empty', SERVER, STREAM_ERROR, (end) =>
    fieldsOn(
      end,
      REQUEST.map(([name, value]) => [name, name === ':path' ? '' : value]),
    ),
  ),
  breach('8.3.1', 'a path begins with a slash, unless it is * of OPTIONS', SERVER, STREAM_ERROR, (end) =>
    fieldsOn(
      end,
      REQUEST.map(([name, value]) => [name, name === ':path' ? 'https://a/' : value]),
    ),
  ),
  breach('8.3.2', 'a response has :status', CLIENT, STREAM_ERROR, (end) => fieldsOn(end, [['a', 'b']])),
  breach('8.6', 'no response switches protocols', CLIENT, STREAM_ERROR, (end) =>
    fieldsOn(end, [[':status', '101']], false),
  ),
  // Header compression
  breach('RFC 7541 2.3.3', 'an index is in one of the tables', BOTH, CODING_ERROR, block('be')),
  breach('RFC 7541 4.2', 'the table changes its size before the first field', BOTH, CODING_ERROR, block('82 20')),
  breach('RFC 7541 5.1', 'numbers end, and are not too large', BOTH, CODING_ERROR, block('ff ff ff ff ff ff ff')),
  breach('RFC 7541 5.2', 'a text ends within its block', BOTH, CODING_ERROR, block('00 05 61 62 63')),
  breach('RFC 7541 5.2', 'Huffman code is padded by less than a byte', BOTH, CODING_ERROR, block('00 01 61 82 1f ff')),
  breach('RFC 7541 5.2', 'Huffman code is padded with ones', BOTH, CODING_ERROR, block('00 01 61 81 c0')),
  breach(
    'RFC 7541 5.2',
    'Huffman code does not hold the end of a text',
    BOTH,
    CODING_ERROR,
    block('00 01 61 84 ff ff ff ff'),
  ),
  breach('RFC 7541 6.1', 'index 0 stands for nothing', BOTH, CODING_ERROR, block('80')),
  breach('RFC 7541 6.3', 'the table is not larger than was allowed', BOTH, CODING_ERROR, block('3f e2 1f')),
];

export const DUTIES = {
  preface: { section: '3.4', rule: 'begins as its side has to: with the preface, with settings', ends: BOTH },
  frameSize: { section: '4.2', rule: 'sends no frame above 16,384 bytes unless the peer allows it', ends: BOTH },
  streamNumbers: { section: '5.1.1', rule: 'opens streams with odd numbers that grow', ends: CLIENT },
  concurrency: {
    section: '5.1.2',
    rule: 'keeps to the number of streams at once, and refuses those beyond its own',
    ends: BOTH,
  },
  connectionError: { section: '5.4.1', rule: 'sends GOAWAY before it closes a connection for an error', ends: BOTH },
  acknowledge: { section: '6.5.3', rule: 'acknowledges settings, once each, and no acknowledgement', ends: BOTH },
  noPush: { section: '6.6', rule: 'does not allow pushes, and pushes nothing', ends: BOTH },
  pong: { section: '6.7', rule: 'answers a ping with its bytes, and no answer', ends: BOTH },
  lastStream: {
    section: '6.8',
    rule: 'names the last stream it looked at, or takes what comes after one as never sent',
    ends: BOTH,
  },
  windows: { section: '6.9.1', rule: 'sends no more DATA than the windows of stream and connection allow', ends: BOTH },
  firstWindow: {
    section: '6.9.2',
    rule: 'changes the windows of open streams with the setting, also below 0',
    ends: BOTH,
  },
  interim: { section: '8.1', rule: 'sends interim responses before the final one, or reads past them', ends: BOTH },
  fieldNames: { section: '8.2', rule: 'sends field names in lower case, and none about connections', ends: BOTH },
  authority: { section: '8.3.1', rule: 'uses :authority where a host field differs', ends: SERVER },
  secrets: { section: 'RFC 7541 7.1.3', rule: 'sends credentials as literals that are never indexed', ends: CLIENT },
  tableSize: {
    section: 'RFC 7541 4.2',
    rule: 'refers to no entry that the other side may have no space for',
    ends: BOTH,
  },
} as const satisfies Readonly<Record<string, Duty>>;

/** Names of the duties of an end. A record of their tests does not compile when one is missing. */
export type DutyOf<E extends End> = {
  [K in keyof typeof DUTIES]: E extends (typeof DUTIES)[K]['ends'][number] ? K : never;
}[keyof typeof DUTIES];

export function dutiesOf(end: End): string[] {
  return Object.entries<Duty>(DUTIES).flatMap(([name, { ends }]) => (ends.includes(end) ? name : []));
}

/** Returns a duty as a sentence. */
export function ruleOf(name: string): string {
  const [, { section, rule }] = Object.entries<Duty>(DUTIES).find(([known]) => known === name)!;
  return `${section}: ${rule}`;
}

/** Returns the breaches that an end may meet, each with its rule as a sentence and the reaction. */
export function breachesFor(end: End): (readonly [rule: string, reaction: Reaction, breach: Breach])[] {
  return BREACHES.filter(({ ends }) => ends.includes(end)).map((breach) => {
    const { section, rule, reaction } = breach;
    return [`${section}: ${rule}`, typeof reaction === 'string' ? reaction : reaction[end], breach];
  });
}
