import { expect, test } from 'vitest';
import { queryOf } from './options.ts';

test('options travel in a query as a form would be sent', () => {
  const check = (options: object, query: string) => expect(queryOf(options)).toBe(query);
  check({}, '');
  check({ fieldManager: 'fruit-operator.v1_a', force: true }, 'fieldManager=fruit-operator.v1_a&force=true');
  check({ dryRun: true, force: false, continue: '', limit: 500 }, 'limit=500&dryRun=All');
  check({ sendInitialEvents: false, force: false }, 'sendInitialEvents=false');
  check({ labelSelector: 'app in (a, b),tier!=c' }, 'labelSelector=app+in+%28a%2C+b%29%2Ctier%21%3Dc');
  check({ fieldSelector: 'spec.size=größer&x' }, 'fieldSelector=spec.size%3Dgr%C3%B6%C3%9Fer%26x');
});
