import { type FieldError, type FieldPath, invalid } from '@pintle/machinery/errors';
import { isTimeZone } from '@pintle/machinery/time';

/** One part of a time zone's name, between slashes. */
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

function unknownZone(zone: string, path: FieldPath): FieldError {
  return invalid(path, zone, `unknown time zone ${zone}`);
}
