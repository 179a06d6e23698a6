import type { PodTemplateSpec } from '@pintle/kinds/core/v1';
import { canonicalJson } from '@pintle/machinery/json';
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
  return nameOf(Buffer.from(`${goJson(data)}${collisionCount}`).reduce(fold1, OFFSET));
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
/** FNV-1 and FNV-1a: Kubernetes has a use for each. */
const fold1 = (hash: number, byte: number): number => (Math.imul(hash, PRIME) ^ byte) >>> 0;
const fold1a = (hash: number, byte: number): number => Math.imul(hash ^ byte, PRIME) >>> 0;

/** No vowels, and nothing that looks like one: names must not become words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

function nameOf(hash: number): string {
  return [...String(hash)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

function goJson(data: object): string {
  return canonicalJson(data).replace(/[<>&\u2028\u2029]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
