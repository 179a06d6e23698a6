import { describe, expect, test } from 'vitest';
import { after, attempt } from './eventual.ts';

describe('after', () => {
  test('goes on at once with what is there', () => {
    expect(after(1, (one) => one + 1)).toBe(2);
  });

  test('waits for what will be', async () => {
    const sum = after(Promise.resolve(1), (one) => one + 1);
    expect(sum).toBeInstanceOf(Promise);
    expect(await sum).toBe(2);
  });
});

describe('attempt', () => {
  const failing = (message: string) => () => {
    throw new Error(message);
  };

  test('catches what is thrown now and what is thrown later', async () => {
    const told = (error: unknown) => (error as Error).message;
    expect(attempt(failing('now'), String, told)).toBe('now');
    expect(await attempt(async () => failing('later')(), String, told)).toBe('later');
  });

  test('does not catch what comes after', async () => {
    expect(() => attempt(() => 1, failing('after'), String)).toThrow('after');
    await expect(attempt(() => Promise.resolve(1), failing('after'), String)).rejects.toThrow('after');
  });
});
