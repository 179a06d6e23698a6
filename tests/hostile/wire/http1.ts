import { realClock } from '@pintle/async';
import type { Answer, Target } from '../target.ts';
import type { Client } from './connect.ts';
import { connectTo } from './connect.ts';

const WAIT_MS = 10_000;

export type Field = readonly [name: string, value: string];

/** A request whose header fields go out as they are, in their order. */
export interface FieldRequest {
  readonly method: string;
  readonly target: string;
  readonly fields: readonly Field[];
  readonly body?: string;
}

/** Sends one request over HTTP/1.1 on a connection of its own and reads to the end. */
export async function sendHttp1(target: Target, request: FieldRequest, client?: Client): Promise<Answer> {
  const socket = await connectTo(target, 'http/1.1', client);
  const parts: string[] = [];
  socket.setEncoding('latin1').on('data', (text: string) => parts.push(text));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(headOf(request), 'latin1');
  if (request.body !== undefined) socket.write(request.body);
  const timer = realClock.setTimer(WAIT_MS, () => socket.destroy());
  await closed;
  timer.cancel();
  const text = parts.join('');
  const [, status = '0'] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
  return { status: Number(status), text: text.slice(text.indexOf('\r\n\r\n') + 4) };
}

function headOf({ method, target, fields, body }: FieldRequest): string {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${target} HTTP/1.1\r\nHost: hostile\r\nConnection: close\r\n${length}${lines.join('')}\r\n`;
}
