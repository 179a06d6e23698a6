import { expect, test } from 'vitest';
import { HealthChecks } from './health-checks.ts';

function open() {
  const blamed: string[] = [];
  const checks = new HealthChecks('readyz', (check, error) => blamed.push(`${check}: ${error}`));
  const ask = (name = '', query = '') => checks.answer(name, new URLSearchParams(query));
  return { checks, blamed, ask };
}

test('all is well until a check says otherwise', async () => {
  const { checks, ask } = open();
  expect(await ask()).toEqual({ status: 200, body: 'ok' });
  expect(await ask('', 'verbose')).toEqual({ status: 200, body: '[+]ping ok\nreadyz check passed\n' });
  checks.add('database', () => 'it is being moved');
  expect(await ask()).toEqual({
    status: 500,
    body: '[+]ping ok\n[-]database failed: it is being moved\nreadyz check failed\n',
  });
  expect(await ask('', 'exclude=database')).toEqual({ status: 200, body: 'ok' });
});

test('what a check throws is for the log, not for whoever asks', async () => {
  const { checks, blamed, ask } = open();
  checks.add('database', async () => {
    throw new Error('password "secret" refused');
  });
  expect(await ask('database')).toEqual({ status: 500, body: 'database failed: reason withheld\n' });
  expect(blamed).toEqual(['database: Error: password "secret" refused']);
});

test('checks can be asked one by one, and come and go', async () => {
  const { checks, ask } = open();
  let isThere = false;
  checks.addGroup(() => (isThere ? [['cache', () => undefined]] : []));
  expect((await ask('cache')).status).toBe(404);
  isThere = true;
  expect(await ask('cache')).toEqual({ status: 200, body: 'ok' });
});
