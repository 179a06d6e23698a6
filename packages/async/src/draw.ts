/** Returns 32 random bits as an unsigned integer. */
export type WordSource = () => number;

const precision = 2 ** 53;

/** Returns a number in [0, 1) with the full 53 bits of a double. */
export function drawUnit(word: WordSource): number {
  return draw53(word) / precision;
}

/** Returns an integer below `bound`, all equally likely: draws beyond the last multiple of `bound` are discarded. */
export function drawBelow(word: WordSource, bound: number): number {
  if (!Number.isSafeInteger(bound) || bound < 1)
    throw new RangeError(`Cannot draw a number below ${bound}: the bound must be a whole number from 1 on`);
  const evenEnd = precision - (precision % bound);
  let drawn = draw53(word);
  while (drawn >= evenEnd) drawn = draw53(word);
  return drawn % bound;
}

export function drawUuid(word: WordSource): string {
  const hex = Array.from({ length: 4 }, () => word().toString(16).padStart(8, '0')).join('');
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function draw53(word: WordSource): number {
  return (word() >>> 5) * 2 ** 26 + (word() >>> 6);
}
