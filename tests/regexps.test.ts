import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@babel/parser';
import { expect, test, vi } from 'vitest';
import { isSuperLinear } from './helpers/regexp-ambiguity.ts';

const packagesDir = join(import.meta.dirname, '..', 'packages');

test.each([
  /^\s*gzip\s*(;\s*q=(1|0?\.\d*[1-9]\d*|1\.0*)\s*)?$/i,
  /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/,
  /^([+-]?)0*(\d*)$/,
  /\/+$/,
  /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eE]*[-+]?[0-9]*)$/,
  /([0-9]+)\s*([A-Za-zµ]+)/g,
  /\s*,\s*/,
  /^(?:a+)+$/,
  /^(?:a|a)*$/,
  /^(?:[a-z]+\.?)+$/,
  /^\w+\d*x$/,
  /^(?:.*,){3,}x/,
  /BEGIN[\s\S]*?END/g,
  /x(?=\d+$)/,
  /^[0-9]+\.?[0-9]*$/,
])('the check finds %s', (expression) => {
  expect(isSuperLinear(expression.source, expression.flags)).toBe(true);
});

test.each([
  /^\d+$/,
  /\s+/,
  /[^0-9]+/g,
  /^[0-9]+(?:\.[0-9]*)?$/,
  /([0-9]+)\s*([A-Za-zµ]*)/g,
  /:[^:]*$/,
  /-----BEGIN [^-]+-----END/g,
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  /^(?:[^"\\]|\\.)*"/,
  /^\d{1,9}\d*$/,
  /\d+x/y,
  /^(['"])(.*)\1$/s,
])('the check passes %s', (expression) => {
  expect(isSuperLinear(expression.source, expression.flags)).toBe(false);
});

/**
 * Expressions that no long text from outside reaches, with the reason. The packages `generate` and `testing` read the
 * developer's own files.
 */
const allowed: readonly (readonly [file: string, expression: RegExp, reason: string])[] = [
  ['cel/functions/format-text.ts', /\B(?=(?:\d{3})+$)/, 'the digits of a number of 64 bits, at most 309'],
  ['cel/values/time.ts', /0+$/, 'nine digits'],
  ['cli/apiserver/etcd-flags.ts', /^\/+|\/+$/, 'a flag'],
  [
    'cli/project/compiler-errors.ts',
    /^(.*?\(\d+,\d+\): error TS\d+: )(.*)$/,
    "what the compiler writes about the developer's own files",
  ],
  ['cli/project/init.ts', /^-+|-+$/, 'the name of a folder'],
  [
    'cli/project/plane-process.ts',
    /Cannot open .*: it is in use(?: by ([^.]+))?\. Stop that server first/,
    'what a process of the same command writes',
  ],
  ['client/transport/http-transport.ts', /\/+$/, 'the address in the configuration'],
  [
    'kinds/rules/common/webhook-client.ts',
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s,
    'matches every text, without going back',
  ],
  ['machinery/protobuf/duration.ts', /0+$/, 'nine digits'],
  ['machinery/protobuf/duration.ts', /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/, 'at most 100 characters'],
  [
    'machinery/schema/structural/field-path.ts',
    /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/,
    'a quote after `.`, `[` or `]` ends the quote before it, so that only one lacks an end',
  ],
  ['machinery/schema/typed/base64.ts', /=+$/, 'checked before: no `=` stands inside'],
  ['machinery/time/duration.ts', /0+$/, 'nine digits'],
  ['operator/resource/definition.ts', /\.?properties\[([^\]]*)\]/, "a field of the operator's own definition"],
];
const developersOwn = new Set(['generate', 'testing']);

function expressionsOf(path: string): { readonly pattern: string; readonly flags: string }[] {
  const text = readFileSync(path, 'utf8');
  const { tokens } = parse(text, { sourceType: 'module', plugins: ['typescript'], tokens: true });
  return (tokens ?? []).filter(({ type }) => type.label === 'regexp').map(({ value }) => value);
}

test('no regular expression takes more than linear time on a text from outside', () => {
  const packages = readdirSync(packagesDir).filter((name) => !developersOwn.has(name));
  const found = packages.flatMap((name) => {
    const root = join(packagesDir, name, 'src');
    return readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.ts$/.test(file) && !/\.test\.ts$|(^|\/)(templates|testdata|generated|testing)\//.test(file))
      .flatMap((file) =>
        expressionsOf(join(root, file))
          .filter(({ pattern, flags }) => isSuperLinear(pattern, flags))
          .map(({ pattern }) => `${name}/${file}: ${pattern}`),
      );
  });
  expect(found.sort()).toEqual(allowed.map(([file, { source }]) => `${file}: ${source}`).sort());
}, 60_000);

test('nor does a pattern of the rules for names', async () => {
  const made: RegExp[] = [];
  vi.stubGlobal(
    'RegExp',
    new Proxy(RegExp, {
      construct(target, [source, flags]) {
        const expression = new target(source, flags);
        made.push(expression);
        return expression;
      },
    }),
  );
  await import('@pintle/machinery/names');
  vi.unstubAllGlobals();
  expect(made.length).toBeGreaterThan(5);
  expect(made.filter(({ source, flags }) => isSuperLinear(source, flags))).toEqual([]);
});
