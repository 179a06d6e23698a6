import type { PodTemplateSpec } from '@pintle/kinds/core/v1';
import { asJson, canonicalJson, deepEqual } from '@pintle/machinery/json';

export const TEMPLATE_HASH = 'pod-template-hash';
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name for a template: the same for the same template and count of collisions. */
export function templateHash(template: PodTemplateSpec, collisions: number): string {
  const text = `${canonicalJson(asJson(template))}${collisions > 0 ? ` ${collisions}` : ''}`;
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return [...String(hash)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

export function isSameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return deepEqual(withoutHash(a), withoutHash(b));
}

function withoutHash({ metadata, ...rest }: PodTemplateSpec): object {
  const { [TEMPLATE_HASH]: _, ...labels } = metadata?.labels ?? {};
  return { ...rest, metadata: { ...metadata, labels } };
}
