import type { PodTemplateSpec } from '@pintle/kinds/core/v1';
import { canonicalJson, escapeForHtml } from '@pintle/machinery/json';
import { WORDLESS_ALPHABET } from '@pintle/machinery/names';
import { printTemplate } from './print-template.ts';

/** The name of a template: the same for the same template and count of collisions. */
export function templateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  const text = Buffer.from(printTemplate(template));
  const count = Buffer.alloc(collisionCount === undefined ? 0 : 8);
  if (collisionCount !== undefined) count.writeUInt32LE(collisionCount >>> 0);
  return nameOf(Buffer.concat([text, count]).reduce(fold1a, OFFSET));
}

/** The name of what a revision keeps: its JSON as Go writes it, with the count of collisions behind it. */
export function dataHash(data: object, collisionCount: number): string {
  return nameOf(Buffer.from(`${escapeForHtml(canonicalJson(data))}${collisionCount}`).reduce(fold1, OFFSET));
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
/** FNV-1 and FNV-1a: Kubernetes has a use for each. */
const fold1 = (hash: number, byte: number): number => (Math.imul(hash, PRIME) ^ byte) >>> 0;
const fold1a = (hash: number, byte: number): number => Math.imul(hash ^ byte, PRIME) >>> 0;

/** The digits of a hash, as Kubernetes puts them into names. */
function nameOf(hash: number): string {
  return [...String(hash)].map((digit) => WORDLESS_ALPHABET[digit.charCodeAt(0) % WORDLESS_ALPHABET.length]).join('');
}
