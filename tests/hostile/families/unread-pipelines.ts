import { realClock } from '@pintle/async';
import type { AttackFamily } from '../family.ts';
import { connectTo } from '../wire/connect.ts';

const HOLD_MS = 200;
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Without credentials: as many requests as fit, each with as large a head as is taken, on a connection that is not read,
 * while somebody else wants an answer. Only the latter is counted.
 */
export const unreadPipelines: AttackFamily = {
  name: 'unread pipelines',
  weight: 0.3,
  async attack(draw, target) {
    const socket = await connectTo(target, 'http/1.1');
    socket.pause();
    const filler = 'x'.repeat(draw.from([0, 500, 8_000, 60_000]));
    const path = draw.from(['/readyz?verbose', '/version', '/healthz', '/nonsense']);
    const head = `GET ${path} HTTP/1.1\r\nHost: hostile\r\nX-Filler: ${filler}\r\n\r\n`;
    const count = Math.min(2_000, Math.floor(MOST_BYTES / head.length));
    socket.write(head.repeat(count), 'latin1');
    await realClock.sleep(HOLD_MS);
    const { status, text } = await target.send({ method: 'GET', target: '/readyz' });
    socket.destroy();
    if (status === 200) return [{ status }];
    return [{ status, complaint: `others got ${status} ${text.slice(0, 160)} meanwhile` }];
  },
};
