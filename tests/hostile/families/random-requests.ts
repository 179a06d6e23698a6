import type { AttackFamily } from '../family.ts';
import { isServerError, sampleOf } from '../judge.ts';
import { hostileRequest } from '../requests.ts';
import { TOKENS } from '../target.ts';

/** Requests that keep to HTTP and to little else. */
export const randomRequests: AttackFamily = {
  name: 'random requests',
  weight: 60,
  async attack(draw, target) {
    const request = hostileRequest(draw);
    const token = draw.isLucky(0.97) ? TOKENS.admin : draw.from(['x', '', TOKENS.nobody]);
    const { status, text } = await target.send({ ...request, token });
    if (!isServerError(status, text, request)) return [{ status }];
    return [{ status, complaint: `${status} ${text.slice(0, 160)}`, sample: sampleOf(request) }];
  },
};
