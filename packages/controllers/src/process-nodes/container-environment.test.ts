import { expect, test } from 'vitest';
import { expand } from './container-environment.ts';

test('variables are replaced where they are named, and only once', () => {
  const env = new Map([['A', '$(B)']]);
  expect(expand('$(A) $$(A) $(NONE) $$', env)).toBe('$(B) $(A) $(NONE) $');
});

test('variables that repeat each other are refused before they fill the memory', () => {
  const env = new Map([['A', 'x'.repeat(1_000)]]);
  const fill = (): void => {
    for (let round = 0; round < 8; round++) env.set('A', expand('$(A)'.repeat(8), env));
  };
  expect(fill).toThrow('its variables are too long');
  expect(env.get('A')!.length).toBeLessThan(1_000_000);
});
