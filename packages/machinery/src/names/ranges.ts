import { rangeMessage } from './messages.ts';

const maxInt32 = 2 ** 31 - 1;

export function validateInRange(value: number | bigint, min: number, max: number): string[] {
  return value >= min && value <= max ? [] : [rangeMessage(min, max)];
}

/** 1 to 65535. */
export function validatePortNumber(value: number | bigint): string[] {
  return validateInRange(value, 1, 65535);
}

export function validateUserId(value: number | bigint): string[] {
  return validateInRange(value, 0, maxInt32);
}

export function validateGroupId(value: number | bigint): string[] {
  return validateInRange(value, 0, maxInt32);
}
