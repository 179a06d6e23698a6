import 'reflect-metadata';
import { Name } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { joinOrganizations } from './subject-der.ts';

const joined = (...rdns: Record<string, string[]>[]): string => {
  const typed = rdns.map((rdn) =>
    Object.fromEntries(Object.entries(rdn).map(([type, texts]) => [type, texts.map((utf8String) => ({ utf8String }))])),
  );
  return new Name(joinOrganizations(Buffer.from(new Name(typed).toArrayBuffer()))).toString();
};

test('several organizations come in one set, in the order of sets, where the first was', () => {
  expect(joined({ C: ['DE'] }, { O: ['b'] }, { CN: ['x'] }, { O: ['a'] })).toBe('C=DE, O=a+O=b, CN=x');
  const long = 'l'.repeat(200);
  expect(joined({ O: [long] }, { O: ['c'] }, { CN: ['x'] })).toBe(`O=c+O=${long}, CN=x`);
});

test('every other subject stays as it is', () => {
  expect(joined({ CN: ['x'] }, { O: ['a'] })).toBe('CN=x, O=a');
  expect(joined({ O: ['a', 'b'] }, { CN: ['x'] })).toBe('O=a+O=b, CN=x');
  expect(joined({ CN: ['x'] })).toBe('CN=x');
});
