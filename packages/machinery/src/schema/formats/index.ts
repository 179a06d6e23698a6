import { isEmail } from './email.ts';
import { isCidr, isIpv4, isIpv6, isMac } from './network.ts';
import {
  isBase64,
  isBsonObjectId,
  isCreditCard,
  isHexColor,
  isHostname,
  isIsbn,
  isIsbn10,
  isIsbn13,
  isLongName,
  isRgbColor,
  isShortName,
  isSsn,
  isUuid,
  isUuid3,
  isUuid4,
  isUuid5,
} from './text.ts';
import { isDate, isDateTime, isDuration } from './time.ts';
import { isRequestUri } from './uri.ts';

/** Returns whether a text has a format. Every check takes time linear in the length of the text. */
export type FormatCheck = (text: string) => boolean;

/** Returns the check of a string format. Dashes in its name are ignored; an unknown format has no check. */
export function formatCheck(name: string): FormatCheck | undefined {
  return checks.get(name.replaceAll('-', ''));
}

/** True when a format applies to values of that type (`undefined`: no type is specified). */
export function isKnownFormat(type: string | undefined, format: string): boolean {
  if (type === undefined || type === 'string') return formatCheck(format) !== undefined;
  if (type === 'integer') return format === 'int32' || format === 'int64';
  return type === 'number' && (format === 'float' || format === 'double');
}

const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', isBsonObjectId],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', isUuid],
  ['uuid3', isUuid3],
  ['uuid4', isUuid4],
  ['uuid5', isUuid5],
  ['isbn', isIsbn],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', isSsn],
  ['hexcolor', isHexColor],
  ['rgbcolor', isRgbColor],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', isShortName],
  ['k8slongname', isLongName],
]);
