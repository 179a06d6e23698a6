import { expect, test } from 'vitest';
import { PageSize } from './page-size.ts';

test('the first page is small, the next ones are of a good length', () => {
  const size = new PageSize();
  const limits = [270, 6_000, 3].map((length) => {
    const path = `/${length}`;
    const first = size.limitOf(path);
    size.note(path, 500, 500 * length);
    return [first, size.limitOf(path)];
  });
  expect(limits).toEqual([
    [500, 2222],
    [500, 250],
    [500, 4000],
  ]);
});

test('an empty page says nothing, and paths without end are not kept', () => {
  const size = new PageSize();
  size.note('/a', 0, 100);
  expect(size.limitOf('/a')).toBe(500);
  size.note('/a', 1, 1_000);
  for (let index = 0; index < 500; index++) size.note(`/${index}`, 1, 1_000);
  expect(size.limitOf('/a')).toBe(500);
  expect(size.limitOf('/499')).toBe(600);
});
