import { describe, expect, test } from 'vitest';
import { MalformedPath, RequestTargets } from './request-info.ts';

describe('RequestTargets', () => {
  test('gives the same target for the same method, path and query', () => {
    const targets = new RequestTargets();
    const request = { method: 'GET', path: '/api/v1/namespaces/default/pods', query: 'watch=true' };
    const target = targets.of(request);
    expect(target.info).toMatchObject({ verb: 'watch', resource: 'pods', namespace: 'default' });
    expect(target.query.get('watch')).toBe('true');
    expect(targets.of({ ...request })).toBe(target);
  });

  test('tells apart what differs in any of them', () => {
    const targets = new RequestTargets();
    const path = '/api/v1/namespaces/default/pods';
    expect(targets.of({ method: 'GET', path, query: '' }).info.verb).toBe('list');
    expect(targets.of({ method: 'POST', path, query: '' }).info.verb).toBe('create');
    expect(targets.of({ method: 'DELETE', path, query: '' }).info.verb).toBe('deletecollection');
    expect(targets.of({ method: 'GET', path, query: 'watch=1' }).info.verb).toBe('watch');
    expect(targets.of({ method: 'GET', path: `${path}/web`, query: '' }).info.verb).toBe('get');
  });

  test('remembers what is asked for often, however much else is asked for', () => {
    const targets = new RequestTargets();
    const often = { method: 'GET', path: '/api/v1/namespaces/default/configmaps/often', query: '' };
    const target = targets.of(often);
    for (let i = 0; i < 10_000; i++) {
      targets.of({ ...often, path: `/api/v1/namespaces/default/configmaps/once-${i}` });
      if (i % 500 === 0) expect(targets.of(often)).toBe(target);
    }
  });

  test('forgets what has not been asked for in a long time', () => {
    const targets = new RequestTargets();
    const once = { method: 'GET', path: '/api/v1/namespaces/default/configmaps/once', query: '' };
    const target = targets.of(once);
    for (let i = 0; i < 2_048; i++) targets.of({ ...once, path: `${once.path}-${i}` });
    expect(targets.of(once)).not.toBe(target);
    expect(targets.of(once)).toEqual(target);
  });

  test('does not keep long URLs', () => {
    const targets = new RequestTargets();
    const long = { method: 'GET', path: `/api/v1/${'x'.repeat(600)}`, query: '' };
    expect(targets.of(long)).not.toBe(targets.of(long));
  });

  test('leaves out the parts of a query that cannot be read', () => {
    const { query } = new RequestTargets().of({ method: 'GET', path: '/', query: 'a=%zz&b=1;c=2&d=3&%=4' });
    expect([...query]).toEqual([['d', '3']]);
  });

  test('takes a question mark at the beginning of a query for part of a name', () => {
    const { query } = new RequestTargets().of({ method: 'GET', path: '/', query: '?limit=1&a=b' });
    expect([...query]).toEqual([
      ['?limit', '1'],
      ['a', 'b'],
    ]);
  });

  test('refuses a path that cannot be read, each time', () => {
    const targets = new RequestTargets();
    const bad = { method: 'GET', path: '/api/v1/%zz', query: '' };
    expect(() => targets.of(bad)).toThrow(MalformedPath);
    expect(() => targets.of(bad)).toThrow(MalformedPath);
  });
});
