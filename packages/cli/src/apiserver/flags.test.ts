import { expect, test } from 'vitest';
import { parseFlags } from './flags.ts';

function check(line: string, values: object, ignored: string[] = []): void {
  const parsed = parseFlags(line.split(' '));
  expect(parsed.values).toEqual(values);
  expect(parsed.ignored).toEqual(ignored);
}

test('flags are read with an equals sign and without', () =>
  check('--secure-port=1 --bind-address ::1', { 'secure-port': '1', 'bind-address': '::1' }));

test('the last of several counts', () => check('--secure-port=1 --secure-port=2', { 'secure-port': '2' }));

test('values may hold anything', () => check('--data=/a=b', { data: '/a=b' }));

test('flags without meaning are kept apart', () =>
  check('--allow-privileged --v 5 --feature-gates=A=true -v=2', {}, [
    '--allow-privileged',
    '--v 5',
    '--feature-gates=A=true',
    '-v=2',
  ]));

test('unknown flags, stray words and missing values are refused', () => {
  expect(() => parseFlags(['--insecure-port=0'])).toThrow('unknown flag: --insecure-port');
  expect(() => parseFlags(['up'])).toThrow('unknown argument: up');
  expect(() => parseFlags(['--data'])).toThrow('flag needs an argument: --data');
});

test('help and the version are asked for', () => {
  expect(parseFlags(['--help']).isHelp).toBe(true);
  expect(parseFlags(['--version']).isVersion).toBe(true);
  expect(parseFlags(['--version=raw']).isVersion).toBe(true);
  expect(parseFlags(['--version=v1.35.0'])).toMatchObject({ isVersion: false, ignored: ['--version=v1.35.0'] });
});

test('a switch takes no word of the next argument', () =>
  check('--anonymous-auth --secure-port=1', { 'anonymous-auth': 'true', 'secure-port': '1' }));

test('flags given several times are all kept', () => {
  const { all } = parseFlags(['--service-account-issuer=a', '--service-account-issuer=b']);
  expect(all['service-account-issuer']).toEqual(['a', 'b']);
});
