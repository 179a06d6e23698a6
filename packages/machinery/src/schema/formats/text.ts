/** Accepts a host name as go-openapi does: one label, or labels joined by dots of which the last has only letters. */
export function isHostname(text: string): boolean {
  if (byteLength(text) > 255) return false;
  const labels = text.split('.');
  if (labels.some((label) => byteLength(label) > 63)) return false;
  const [first = '', ...others] = labels;
  if (others.length === 0) return /^[a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]{0,62}$/u.test(first);
  const top = others[others.length - 1]!;
  return /^[a-zA-Z\p{L}]{2,63}$/u.test(top) && labels.slice(0, -1).every(isHostLabel);
}

const encoder = new TextEncoder();

function byteLength(text: string): number {
  return encoder.encode(text).length;
}

function isHostLabel(label: string): boolean {
  return /^[a-zA-Z0-9\p{S}\p{L}-]+$/u.test(label) && !label.startsWith('-') && !label.endsWith('-');
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuid3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuid4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const uuid5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;

export const isUuid = (text: string) => uuid.test(text);
export const isUuid3 = (text: string) => uuid3.test(text);
export const isUuid4 = (text: string) => uuid4.test(text);
export const isUuid5 = (text: string) => uuid5.test(text);

export const isBsonObjectId = (text: string) => /^[0-9a-f]{24}$/i.test(text);
export const isHexColor = (text: string) => /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text);
export const isSsn = (text: string) => /^[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}$/.test(text);

export function isRgbColor(text: string): boolean {
  const match = /^rgb\(([^,]*),([^,]*),([^,]*)\)$/.exec(text);
  return match?.slice(1).every((part) => isByteNumber(trimSpaces(part))) ?? false;
}

function isByteNumber(text: string): boolean {
  return /^(?:0|[1-9][0-9]{0,2})$/.test(text) && Number(text) <= 255;
}

function trimSpaces(text: string): string {
  return text.replace(/^[ \t\n\f\r]+/, '').trimEnd();
}

/** Accepts standard base64 with its padding, but not the empty string. */
export function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

export function isIsbn(text: string): boolean {
  return isIsbn10(text) || isIsbn13(text);
}

export function isIsbn10(text: string): boolean {
  const digits = withoutDashes(text);
  if (!/^[0-9]{9}[0-9X]$/.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < 10; index++) sum += (index + 1) * (digits[index] === 'X' ? 10 : Number(digits[index]));
  return sum % 11 === 0;
}

export function isIsbn13(text: string): boolean {
  const digits = withoutDashes(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < 13; index++) sum += (index % 2 === 0 ? 1 : 3) * Number(digits[index]);
  return sum % 10 === 0;
}

function withoutDashes(text: string): string {
  return text.replace(/[ \t\n\f\r-]+/g, '');
}

const cardNumbers = [
  /^4[0-9]{12}(?:[0-9]{3})?$/,
  /^5[1-5][0-9]{14}$/,
  /^6(?:011|5[0-9][0-9])[0-9]{12}$/,
  /^3[47][0-9]{13}$/,
  /^3(?:0[0-5]|[68][0-9])[0-9]{11}$/,
  /^(?:2131|1800|35[0-9]{3})[0-9]{11}$/,
];

/** Accepts the number of a known issuer whose last digit is the Luhn checksum; ignores characters that are not digits. */
export function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!cardNumbers.some((pattern) => pattern.test(digits))) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const weighted = index % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

export function isShortName(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text);
}

/** Accepts names joined by dots. The length of the parts is not limited. */
export function isLongName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part));
}
