import { quote } from '@pintle/machinery/errors';
import { isRequestUri } from '@pintle/machinery/schema';
import { BOOL, listType, mapType, STRING, structType, type Type } from '../types/type.ts';
import { ArrayList } from '../values/list.ts';
import { LiteralMap } from '../values/map.ts';
import { CelError, OpaqueValue, type Value } from '../values/value.ts';
import { func, global, type Library, member } from './declare.ts';

const URL = structType('kubernetes.URL');

/** A URL parsed like in Go, from a text that `isRequestUri` accepts. */
class UrlValue extends OpaqueValue {
  readonly type: Type = URL;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly #rest: string;

  constructor(source: string) {
    super();
    const withoutFragment = source.split('#', 1)[0]!;
    const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(withoutFragment)?.[1];
    const afterScheme = scheme === undefined ? withoutFragment : withoutFragment.slice(scheme.length + 1);
    this.scheme = scheme?.toLowerCase() ?? '';
    this.#rest = source.slice(scheme?.length ?? 0);
    const question = afterScheme.indexOf('?');
    const hierarchy = question < 0 ? afterScheme : afterScheme.slice(0, question);
    this.query = question < 0 ? '' : afterScheme.slice(question + 1);
    const hasAuthority = this.scheme !== '' ? hierarchy.startsWith('//') : /^\/\/(?!\/)/.test(hierarchy);
    const slash = hasAuthority ? hierarchy.indexOf('/', 2) : 0;
    const authority = !hasAuthority ? '' : hierarchy.slice(2, slash < 0 ? undefined : slash);
    this.host = authority.slice(authority.lastIndexOf('@') + 1);
    this.path = slash < 0 ? '' : hierarchy.startsWith('/') ? hierarchy.slice(slash) : '';
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && this.scheme === other.scheme && this.#rest === other.#rest;
  }

  override get weight(): number {
    return Math.ceil(this.#rest.length / 10);
  }

  get hostname(): string {
    if (this.host.startsWith('[')) return this.host.slice(1, this.host.indexOf(']'));
    return this.host.replace(/:[^:]*$/, '');
  }

  get port(): string {
    const afterBrackets = this.host.slice(this.host.lastIndexOf(']') + 1);
    return /:([0-9]*)$/.exec(afterBrackets)?.[1] ?? '';
  }

  /** Returns the path as written if all characters are valid, else escaped. */
  get escapedPath(): string {
    return this.path.replace(/[^A-Za-z0-9\-_.~!$&'()*+,;=:@/%[\]]/gu, (character) => encodeURIComponent(character));
  }

  queryValues(): Value {
    const values = new Map<string, string[]>();
    for (const pair of this.query.split('&')) {
      if (pair === '' || pair.includes(';')) continue;
      const [key = '', ...rest] = pair.split('=');
      const name = decode(key);
      const value = decode(rest.join('='));
      if (name === undefined || value === undefined) continue;
      const list = values.get(name);
      if (list === undefined) values.set(name, [value]);
      else list.push(value);
    }
    return new LiteralMap(Array.from(values, ([name, list]) => [name, new ArrayList(list)] as const));
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function toUrl(text: string): Value {
  if (isRequestUri(text)) return new UrlValue(text);
  return new CelError(`URL parse error during conversion from string: ${requestUriProblem(text)}`);
}

/** Returns the error of Go's `url.ParseRequestURI`. */
export function requestUriProblem(text: string): string {
  return `parse ${quote(text)}: ${problemOf(text)}`;
}

function problemOf(text: string): string {
  if (/[^ -~\u0080-\uffff]/.test(text)) return 'net/url: invalid control character in URL';
  if (text === '') return 'empty url';
  if (text.startsWith(':')) return 'missing protocol scheme';
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length).split('?', 1)[0]!;
  if (!rest.startsWith('/')) return 'invalid URI for request';
  const authority = scheme !== '' && rest.startsWith('//') ? rest.slice(2).split('/', 1)[0]! : '';
  const port = /:[^:\]]*$/.exec(authority)?.[0];
  if (port !== undefined && !/^:[0-9]*$/.test(port)) return `invalid port ${quote(port)} after host`;
  if (authority.startsWith('[') && !authority.includes(']')) return "missing ']' in host";
  const character = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"@%\u0080-\uffff]/.exec(authority)?.[0];
  if (character !== undefined) return `invalid character ${quote(character)} in host name`;
  return `invalid URL escape ${quote(/%(?![0-9a-fA-F]{2}).{0,2}/.exec(rest)?.[0] ?? '%')}`;
}

export const urlsLibrary: Library = {
  name: 'kubernetes.urls',
  functions: [
    func('url', global('string_to_url', [STRING], URL, toUrl)),
    func(
      'getScheme',
      member('url_get_scheme', [URL], STRING, ({ scheme }: UrlValue) => scheme),
    ),
    func(
      'getHost',
      member('url_get_host', [URL], STRING, ({ host }: UrlValue) => host),
    ),
    func(
      'getHostname',
      member('url_get_hostname', [URL], STRING, ({ hostname }: UrlValue) => hostname),
    ),
    func(
      'getPort',
      member('url_get_port', [URL], STRING, ({ port }: UrlValue) => port),
    ),
    func(
      'getEscapedPath',
      member('url_get_escaped_path', [URL], STRING, ({ escapedPath }: UrlValue) => escapedPath),
    ),
    func(
      'getQuery',
      member('url_get_query', [URL], mapType(STRING, listType(STRING)), (url: UrlValue) => url.queryValues()),
    ),
    func(
      'isURL',
      global('is_url_string', [STRING], BOOL, (text: string) => isRequestUri(text)),
    ),
  ],
};
