import { type FieldError, type FieldPath, invalid } from '@pintle/machinery/errors';

/** Of a name in the database of time zones, between slashes. */
const part = /^[A-Za-z._0-9+][A-Za-z.\-_0-9+]{0,13}$/;

export function validateTimeZone(zone: string | undefined, path: FieldPath): FieldError[] {
  if (zone === undefined) return [];
  if (zone === '') return [invalid(path, zone, 'timeZone must be nil or non-empty string')];
  if (!zone.split('/').every((name) => part.test(name) && name !== '.' && name !== '..'))
    return [unknownZone(zone, path)];
  const errors: FieldError[] = [];
  if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    errors.push(invalid(path, zone, detail));
  }
  return zone === 'Local' || isTimeZone(zone) ? errors : [...errors, unknownZone(zone, path)];
}

/** Names are spelt as in the database, letter for letter; the engine alone would take any case. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    const resolved = new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone;
    return resolved === zone || resolved.toLowerCase() !== zone.toLowerCase();
  } catch {
    return false;
  }
}

function unknownZone(zone: string, path: FieldPath): FieldError {
  return invalid(path, zone, `unknown time zone ${zone}`);
}
