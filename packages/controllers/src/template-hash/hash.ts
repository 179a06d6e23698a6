import type { PodTemplateSpec } from '@pintle/kinds/core/v1';
import { canonicalJson, escapeForHtml } from '@pintle/machinery/json';
import { NAME_SUFFIX_ALPHABET } from '@pintle/machinery/names';
import { printTemplate } from './print-template.ts';

/** Returns the hash of a template and collision count for names. */
export function templateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  const text = Buffer.from(printTemplate(template));
  const count = Buffer.alloc(collisionCount === undefined ? 0 : 8);
  if (collisionCount !== undefined) count.writeUInt32LE(collisionCount >>> 0);
  return nameOf(Buffer.concat([text, count]).reduce(fold1a, OFFSET));
}

/** Returns the hash of a revision's data for names: its JSON as Go writes it, followed by the collision count. */
export function dataHash(data: object, collisionCount: number): string {
  return nameOf(Buffer.from(`${escapeForHtml(canonicalJson(data))}${collisionCount}`).reduce(fold1, OFFSET));
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
/** FNV-1 and FNV-1a; Kubernetes uses both. */
const fold1 = (hash: number, byte: number): number => (Math.imul(hash, PRIME) ^ byte) >>> 0;
const fold1a = (hash: number, byte: number): number => Math.imul(hash ^ byte, PRIME) >>> 0;

/** Encodes a hash with the alphabet that Kubernetes uses in names. */
function nameOf(hash: number): string {
  return [...String(hash)]
    .map((digit) => NAME_SUFFIX_ALPHABET[digit.charCodeAt(0) % NAME_SUFFIX_ALPHABET.length])
    .join('');
}
