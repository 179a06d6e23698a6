import { realClock } from '@pintle/async';
import type { AttackFamily } from '../family.ts';
import { hostileBytes, hostileFrames } from '../requests.ts';
import { connectTo } from '../wire/connect.ts';

const WAIT_MS = 30;

/** Bytes that need not be HTTP at all, and frames of HTTP/2 by chance. */
export const rawBytes: AttackFamily = {
  name: 'raw bytes',
  weight: 5,
  async attack(draw, target) {
    const isHttp2 = draw.isLucky(0.4);
    const bytes = isHttp2 ? hostileFrames(draw) : hostileBytes(draw);
    const socket = await connectTo(target, isHttp2 ? 'h2' : 'http/1.1');
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.resume();
    socket.write(bytes);
    await Promise.race([closed, realClock.sleep(WAIT_MS)]);
    socket.destroy();
    return [{ status: 0 }];
  },
};
