import type { Draw } from '../draw.ts';
import type { AttackFamily, Outcome } from '../family.ts';
import { TOKENS } from '../target.ts';
import type { Field, FieldRequest } from '../wire/http1.ts';
import { sendHttp1 } from '../wire/http1.ts';
import { sendHttp2 } from '../wire/http2.ts';

const REVIEW = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
const FILLERS = [0, 1, 50, 127, 128, 500, 900, 999, 1_000, 1_001, 1_100, 1_999, 2_000, 3_000, 8_000];
const REFUSALS = new Set([0, 400, 401, 403, 431]);
const MAX_GROUPS = 300;

/**
 * A client of an impersonating proxy adds header fields, so many and in such an order that the proxy's own come
 * last. The answer is for the impersonated user, with every group, or it is a refusal; never for the proxy.
 */
export const headerOrder: AttackFamily = {
  name: 'header order',
  weight: 12,
  async attack(draw, target) {
    const isHttp2 = draw.isLucky(0.5);
    const groups = Array.from(
      { length: draw.isLucky(0.2) ? draw.below(MAX_GROUPS) : draw.below(3) },
      (_, i) => `g${i}`,
    );
    const request: FieldRequest = {
      method: 'POST',
      target: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: REVIEW,
      fields: [['content-type', 'application/json'], ...fieldsOf(draw, groups)],
    };
    const { status, text } = await (isHttp2 ? sendHttp2 : sendHttp1)(target, request);
    return [judge(isHttp2, status, text, groups, request)];
  },
};

function fieldsOf(draw: Draw, groups: readonly string[]): Field[] {
  const own: Field[] = [
    ['authorization', `Bearer ${TOKENS.admin}`],
    ['impersonate-user', 'mallory'],
    ...groups.map((group): Field => ['impersonate-group', group]),
  ];
  const fillers = Array.from({ length: draw.from(FILLERS) }, (_, i): Field => [`a${i % 997}`, 'x']);
  return draw.from<() => Field[]>([
    () => [...fillers, ...own],
    () => [...own, ...fillers],
    () => [own[0]!, ...fillers, ...own.slice(1)],
    () => [...own.slice(1), ...fillers, own[0]!],
    () => [...fillers, ...own, ['authorization', 'Bearer x']],
    () => [...fillers, ...own, ['connection', 'impersonate-user']],
    () => [...own, ['trailer', 'impersonate-user'], ...fillers],
  ])();
}

function judge(
  isHttp2: boolean,
  status: number,
  text: string,
  groups: readonly string[],
  { fields }: FieldRequest,
): Outcome {
  if (REFUSALS.has(status)) return { status };
  const protocol = isHttp2 ? 'HTTP/2' : 'HTTP/1.1';
  const sample = `${fields.length} fields, ${groups.length} groups, the last is ${fields.at(-1)?.[0]}`;
  if (status !== 201) return { status, complaint: `${protocol}: ${status} ${text.slice(0, 160)}`, sample };
  if (!text.includes('"username":"mallory"')) return { status, complaint: `${protocol}: served as the proxy`, sample };
  const lost = groups.filter((group) => !text.includes(`"${group}"`));
  return lost.length === 0 ? { status } : { status, complaint: `${protocol}: impersonated groups were lost`, sample };
}
