import type { ApiRequest } from './exchange.ts';
import type { RequestInfo } from './request-info.ts';
import { readRequestInfo } from './request-info.ts';

/** What a method and a URL ask for. Shared by all requests that ask the same: nobody changes any of it. */
interface RequestTarget {
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
}

/**
 * Reads what requests ask for, and remembers what was asked lately: clients ask for the same things again and again, and
 * reading a URL takes longer than looking up the object it names.
 */
export class RequestTargets {
  static readonly #maxRemembered = 1_024;
  static readonly #maxLength = 512;
  #recent = new Map<string, RequestTarget>();
  /** Those that `#recent` had no room for any more. What is asked for once more comes back from here. */
  #older = new Map<string, RequestTarget>();

  /** Throws `MalformedPath`. */
  of({ method, path, query }: Pick<ApiRequest, 'method' | 'path' | 'query'>): RequestTarget {
    // Most requests read, and ask no more than the path says: no other key begins with a slash.
    const key = method === 'GET' && query === '' ? path : `${method} ${path}?${query}`;
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const target = this.#older.get(key) ?? read(method, path, query);
    if (key.length <= RequestTargets.#maxLength) this.#remember(key, target);
    return target;
  }

  #remember(key: string, target: RequestTarget): void {
    if (this.#recent.size >= RequestTargets.#maxRemembered) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, target);
  }
}

function read(method: string, path: string, text: string): RequestTarget {
  // A question mark at its beginning would be taken for the one before it: an empty part keeps them apart.
  const query = new URLSearchParams(`&${withoutUnreadable(text)}`);
  return { query, info: readRequestInfo({ method, path }, query) };
}

/** Parts with a semicolon, or whose percent-encoding is not valid, are as if they were not there. */
function withoutUnreadable(query: string): string {
  if (!UNREADABLE.test(query)) return query;
  return query
    .split('&')
    .filter((part) => !UNREADABLE.test(part))
    .join('&');
}

const UNREADABLE = /;|%(?![0-9a-f]{2})/i;
