import { BASE } from '../../protocol.ts';
import { Store, useStore } from './store.ts';

/** Where a person is: everything that a link must say to show the same. */
export interface PageLocation {
  /** Parts of the path after /console, decoded. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

export const place = new Store<PageLocation>(read());

window.addEventListener('popstate', () => place.set(read()));

function read(): PageLocation {
  const rest = location.pathname.slice(BASE.length);
  const path = rest.split('/').filter((part) => part !== '');
  return { path: path.map(decode), query: Object.fromEntries(new URLSearchParams(location.search)) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function usePlace(): PageLocation {
  return useStore(place);
}

type Query = Readonly<Record<string, string | undefined>>;

/** The address of a place. The namespace and the moment go along unless others are named. */
export function hrefOf(path: readonly string[], query: Query = {}): string {
  const { ns, at } = place.get().query;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries({ ns, at, ...query })) if (value) search.set(name, value);
  const suffix = search.size > 0 ? `?${search}` : '';
  return `${BASE}/${path.map(encodeURIComponent).join('/')}${suffix}`;
}

export function go(href: string): void {
  if (href === location.pathname + location.search) return;
  history.pushState(null, '', href);
  place.set(read());
  window.scrollTo(0, 0);
}

/** Changes what the address asks for, without leaving the place. */
export function adjust(query: Query, { isStep = false } = {}): void {
  const search = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(query)) {
    if (value) search.set(name, value);
    else search.delete(name);
  }
  const href = `${location.pathname}${search.size > 0 ? `?${search}` : ''}`;
  if (isStep) history.pushState(null, '', href);
  else history.replaceState(null, '', href);
  place.set(read());
}

/** The moment that is looked at; `undefined` is now. */
export function atOf({ query }: PageLocation): number | undefined {
  const at = Number(query.at);
  return Number.isSafeInteger(at) && at > 0 ? at : undefined;
}
