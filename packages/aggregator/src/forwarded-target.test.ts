import { expect, test } from 'vitest';
import { forwardedTarget } from './forwarded-target.ts';

test.each([
  ['/apis/g/v1/things/x', '', '/apis/g/v1/things/x'],
  ['/apis/g/v1/things/x%2Fy', '', '/apis/g/v1/things/x/y'],
  ['/apis/g/v1/things/%78', '', '/apis/g/v1/things/x'],
  ['/a/b;c+d,e:f=g@h$i&j', '', '/a/b;c+d,e:f=g@h$i&j'],
  ["/a/b%20c%3Fd%23e!(f)*'%C3%A9", '', '/a/b%20c%3Fd%23e%21%28f%29%2A%27%C3%A9'],
  ['/a', 'limit=1&continue=x', '/a?continue=x&limit=1'],
  ['/a', 'b=2&a=1&b=1', '/a?a=1&b=2&b=1'],
  ['/a', 'a=%2F&b=%20&c=d+e', '/a?a=%2F&b=+&c=d+e'],
  ['/a', 'a', '/a?a='],
  ['/a', '%zz', '/a'],
  ['/a', 'a=1;b=2&c=3&&%zz=1', '/a?c=3'],
  ['/a', 'x=~*-_.', '/a?x=~%2A-_.'],
])('%s?%s is asked for as Go writes it', (path, query, target) => {
  expect(forwardedTarget({ path, query })).toBe(target);
});
