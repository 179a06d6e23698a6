import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { SeededRandom, SteppedClock, systemRandom } from '@pintle/async';
import type { Field } from '@pintle/http2';
import {
  checkFrame,
  encodeHeaders,
  FIRST_WINDOW_BYTES,
  FLAG,
  FRAME,
  FrameReader,
  HEAD_BYTES,
  HeaderBlocks,
  PREFACE,
  pingFrame,
  SETTING,
  settingsFrame,
} from '@pintle/http2';
import { frame, REQUEST } from '@pintle/http2/testing';
import { expect, test } from 'vitest';
import { ServerConnection } from './server-connection.ts';
import type { ServerStream } from './server-stream.ts';

const FRAMES = 100_000;
const MAX_FRAMES_OF_CONNECTION = 400;
/** Heads of answers wait up to 2 MiB, and one write may go above. */
const MAX_UNTAKEN_BYTES = 3 * 1024 * 1024;
const MAX_GROWTH_BYTES = 256 * 1024 * 1024;
const QUESTION = Buffer.from('are you?');

/** What a client has allowed a server, at most, and what it has seen of each stream. */
class Client {
  readonly socket: Duplex;
  /** No frame was cut or lengthened: a ping at the end is a frame of its own. */
  isAligned = true;
  isHeaderBlockOpen = false;
  nextId = 1;
  isAnswered = false;
  /** A rule that the server has broken. */
  failure: Error | undefined;
  goAway: number | undefined;
  #windowBytes = FIRST_WINDOW_BYTES;
  #firstWindowBytes = FIRST_WINDOW_BYTES;
  readonly #grown = new Map<number, number>();
  readonly #states = new Map<number, 'open' | 'begun' | 'over'>();
  readonly #blocks = new HeaderBlocks();
  readonly #reader: FrameReader;
  #dataId = 0;

  /** `isDeaf`: it takes nothing that it is sent. */
  constructor(isDeaf: boolean) {
    this.#reader = this.#readerOf();
    const write = (bytes: Buffer, _encoding: string, done: () => void): void => {
      if (isDeaf) return;
      try {
        this.#reader.read(bytes);
      } catch (error) {
        this.failure ??= error as Error;
      }
      done();
    };
    this.socket = new Duplex({ read: () => {}, write });
    this.socket.on('error', () => {});
  }

  /** Notes what a frame allows, if the server takes it. */
  note(bytes: Buffer): void {
    const type = bytes[3]!;
    const streamId = bytes.readUInt32BE(5) & 0x7fffffff;
    const payload = bytes.subarray(HEAD_BYTES);
    if (type === FRAME.windowUpdate && payload.length >= 4) {
      const grown = payload.readUInt32BE(0) & 0x7fffffff;
      if (streamId === 0) this.#windowBytes += grown;
      else this.#grown.set(streamId, (this.#grown.get(streamId) ?? 0) + grown);
    }
    if (type === FRAME.settings) {
      for (let at = 0; at + 6 <= payload.length; at += 6)
        if (payload.readUInt16BE(at) === SETTING.initialWindowSize)
          this.#firstWindowBytes = Math.max(this.#firstWindowBytes, payload.readUInt32BE(at + 2));
    }
  }

  #readerOf(): FrameReader {
    return new FrameReader({
      frame: (head, payload) => {
        checkFrame(head, payload.length);
        this.#blocks.check(head);
        if (this.goAway !== undefined && this.goAway > 0) throw new Error('a frame follows a GOAWAY for an error');
        if (head.type === FRAME.ping && payload.equals(QUESTION)) this.isAnswered = true;
        if (head.type === FRAME.goAway) this.goAway = payload.readUInt32BE(4);
        if (head.type === FRAME.reset) this.#states.set(head.streamId, 'over');
        if (head.type === FRAME.headers || head.type === FRAME.continuation) this.#takeHeaders(head, payload);
      },
      dataBegins: (streamId, length) => this.#beginData(streamId, length),
      data: () => {},
      dataEnds: (isLast) => {
        if (isLast) this.#states.set(this.#dataId, 'over');
      },
    });
  }

  #takeHeaders(head: { type: number; flags: number; streamId: number }, payload: Buffer): void {
    const block = this.#blocks.take(head, payload);
    if (block === undefined) return;
    const { streamId, fields, isLast } = block;
    if (streamId % 2 === 0) throw new Error(`stream ${streamId} is answered, which no client opens`);
    if (this.#states.get(streamId) === 'over') throw new Error(`stream ${streamId} is answered after its end`);
    const status = Number(fields?.find(([name]) => name === ':status')?.[1]);
    if (!(status >= 100)) throw new Error(`stream ${streamId} is answered without a status`);
    this.#states.set(streamId, isLast ? 'over' : status < 200 ? 'open' : 'begun');
  }

  #beginData(streamId: number, length: number): void {
    this.#dataId = streamId;
    if (this.#states.get(streamId) !== 'begun') throw new Error(`DATA on stream ${streamId}, which has not begun`);
    this.#windowBytes -= length;
    const left = (this.#grown.get(streamId) ?? 0) - length;
    this.#grown.set(streamId, left);
    // Spoilt bytes may hold further frames, which allow more than was noted.
    if (!this.isAligned) return;
    if (this.#windowBytes < 0) throw new Error('more DATA than the connection allows');
    if (this.#firstWindowBytes + left < 0) throw new Error(`more DATA than stream ${streamId} allows`);
  }
}

/** Draws frames: those of a client that behaves, spoilt ones, and nonsense. */
class FrameSource {
  readonly #random: SeededRandom;
  readonly #client: Client;
  readonly #hostility: number;

  constructor(random: SeededRandom, client: Client, hostility: number) {
    this.#random = random;
    this.#client = client;
    this.#hostility = hostility;
  }

  next(): Buffer {
    const isHostile = this.#random.next() < this.#hostility;
    const bytes = isHostile ? this.#anything() : this.#proper();
    return isHostile && this.#random.next() < 0.5 ? this.#spoil(bytes) : bytes;
  }

  #proper(): Buffer {
    const draw = this.#random.below(100);
    if (this.#client.nextId === 1 || draw < 35) return this.#request();
    if (draw < 60)
      return frame(FRAME.data, this.#chance(0.3) * FLAG.endStream, this.#known(), Buffer.alloc(this.#below(2_000)));
    if (draw < 80) return this.#numbers(FRAME.windowUpdate, this.#chance(0.5) * this.#known(), 1 + this.#below(20_000));
    if (draw < 88) return this.#numbers(FRAME.reset, this.#known(), this.#below(14));
    if (draw < 92) return pingFrame(this.#exactly(8), this.#chance(0.2) * FLAG.ack);
    if (draw < 96) return settingsFrame([[SETTING.initialWindowSize, this.#below(100_000)]]);
    return frame(FRAME.priority, 0, this.#known(), this.#exactly(5));
  }

  #request(): Buffer {
    const id = this.#client.nextId;
    this.#client.nextId += 2;
    const fields: Field[] = REQUEST.map(([name, value]) => [
      name,
      name === ':method' ? ['GET', 'POST', 'HEAD'][this.#below(3)]! : value,
    ]);
    if (this.#chance(0.1)) fields.push(['content-length', String(this.#below(3_000))]);
    if (this.#chance(0.1)) fields.push(['expect', '100-continue']);
    const block = encodeHeaders(fields);
    const end = this.#chance(0.6) * FLAG.endStream;
    if (this.#chance(0.8)) return frame(FRAME.headers, FLAG.endHeaders | end, id, block);
    const cut = this.#below(block.length);
    const head = frame(FRAME.headers, end, id, block.subarray(0, cut));
    return Buffer.concat([head, frame(FRAME.continuation, FLAG.endHeaders, id, block.subarray(cut))]);
  }

  #anything(): Buffer {
    const type = this.#below(12);
    const id = [0, this.#known(), this.#client.nextId, this.#below(1_000), 2 ** 31 - 1][this.#below(5)]!;
    const payload = this.#chance(0.5) ? this.#exactly([0, 4, 5, 6, 8][this.#below(5)]!) : this.#bytes(300);
    const flags = this.#below(256);
    if (type === FRAME.headers || type === FRAME.continuation)
      this.#client.isHeaderBlockOpen = (flags & FLAG.endHeaders) === 0;
    return frame(type, flags, id, payload);
  }

  /** Some bytes are others, or some are gone, or come twice. */
  #spoil(bytes: Buffer): Buffer {
    this.#client.isAligned = false;
    const spoilt = Buffer.from(bytes);
    for (let count = 1 + this.#below(3); count > 0; count--) spoilt[this.#below(spoilt.length)] = this.#below(256);
    const draw = this.#below(4);
    if (draw === 0) return spoilt.subarray(0, this.#below(spoilt.length));
    return draw === 1 ? Buffer.concat([spoilt, spoilt.subarray(this.#below(spoilt.length))]) : spoilt;
  }

  #known(): number {
    return 1 + 2 * this.#below(Math.max(1, (this.#client.nextId - 1) / 2));
  }

  #numbers(type: number, streamId: number, value: number): Buffer {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(value);
    return frame(type, 0, streamId, payload);
  }

  #bytes(most: number): Buffer {
    return this.#exactly(this.#below(most));
  }

  #exactly(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.#below(256)));
  }

  #below(bound: number): number {
    return this.#random.below(bound);
  }

  #chance(share: number): 0 | 1 {
    return this.#random.next() < share ? 1 : 0;
  }
}

/** Answers as handlers do: at once, later, in parts, after the body, or not at all. */
function answer(stream: ServerStream, random: SeededRandom): void {
  const draw = random.below(6);
  if (draw === 0) stream.respond(200, {}, Buffer.alloc(random.below(200_000)));
  else if (draw === 1) void collected(stream);
  else if (draw === 2) {
    stream.respond(200, {});
    for (let i = 0; i < 3; i++) stream.write(Buffer.alloc(random.below(30_000)));
    stream.end();
  } else if (draw === 3) stream.reset('CANCEL');
  else if (draw === 4) stream.respond(404, { 'content-type': 'text/plain' }, Buffer.from('no'));
}

async function collected(stream: ServerStream): Promise<void> {
  const body = await Promise.resolve(stream.body.collect(100_000)).catch(() => undefined);
  stream.respond(body === undefined ? 413 : 200, {}, body ?? Buffer.alloc(0));
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One connection; gives how many frames it has taken, and what became of it. */
async function talk(random: SeededRandom): Promise<{ readonly frames: number; readonly outcome: string }> {
  const isDeaf = random.next() < 0.1;
  const client = new Client(isDeaf);
  const { socket } = client;
  const opened: { closed: number }[] = [];
  const onStream = (stream: ServerStream): void => {
    const record = { closed: 0 };
    opened.push(record);
    stream.onClose = () => {
      record.closed++;
    };
    answer(stream, random);
  };
  const options = { clock: new SteppedClock(), maxHeaderBytes: 64 * 1024, onStream };
  new ServerConnection(socket as Socket, options);
  const source = new FrameSource(random, client, [0, 0.01, 0.1, 1][random.below(4)]!);
  const greeting = [PREFACE, settingsFrame([])];
  let frames = 0;
  for (const most = 1 + random.below(MAX_FRAMES_OF_CONNECTION); frames < most && !isOver(client); frames++) {
    const bytes = frames === 0 ? Buffer.concat(greeting) : source.next();
    if (frames > 0 && bytes.length >= HEAD_BYTES) client.note(bytes);
    const cut = random.below(bytes.length + 1);
    for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) if (part.length > 0) socket.emit('data', part);
    if (client.failure !== undefined) throw client.failure;
    expect(socket.writableLength).toBeLessThan(MAX_UNTAKEN_BYTES);
    if (random.next() < 0.2) await turn();
  }
  if (client.isAligned && !client.isHeaderBlockOpen && !isOver(client)) socket.emit('data', pingFrame(QUESTION));
  await turn();
  await turn();
  if (!isDeaf && client.isAligned && !client.isHeaderBlockOpen) expect(client.isAnswered || isOver(client)).toBe(true);
  if (client.goAway !== undefined && client.goAway > 0) expect(socket.destroyed).toBe(true);
  if (client.failure !== undefined) throw client.failure;
  const outcome = client.isAnswered ? 'went on' : `ended ${client.goAway}`;
  socket.destroy();
  await turn();
  expect(opened.every(({ closed }) => closed === 1)).toBe(true);
  return { frames, outcome };
}

/** The server has ended the connection, or said that it will. */
function isOver({ socket, goAway }: Client): boolean {
  return socket.destroyed || socket.writableEnded || goAway !== undefined;
}

test(`${FRAMES} random frames crash nothing, hold no memory, and every connection ends or goes on by the rules`, async () => {
  const seed = process.env.SEED ?? systemRandom.below(2 ** 31);
  console.log(`random frames: SEED=${seed}`);
  const before = process.memoryUsage();
  const outcomes: string[] = [];
  for (let frames = 0; frames < FRAMES; ) {
    const talked = await talk(new SeededRandom(`${seed}/${outcomes.length}`)).catch((cause: unknown) => {
      throw new Error(`SEED=${seed}, connection ${outcomes.length}: ${(cause as Error).message}`, { cause });
    });
    frames += talked.frames;
    outcomes.push(talked.outcome);
  }
  const after = process.memoryUsage();
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(MAX_GROWTH_BYTES);
  expect(after.heapUsed - before.heapUsed).toBeLessThan(MAX_GROWTH_BYTES);
  // Or the frames were all of one kind.
  expect(outcomes.filter((outcome) => outcome === 'went on').length).toBeGreaterThan(100);
  for (const outcome of ['ended 1', 'ended 6']) expect(outcomes).toContain(outcome);
}, 180_000);
