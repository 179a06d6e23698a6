const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const domain =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::\d+)?$/;
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const maxPathLength = 255;

/** The image of the tag `latest` may change, so it is pulled each time. */
export function defaultPullPolicy(image: string | undefined): 'Always' | 'IfNotPresent' {
  return imageTag(image ?? '') === 'latest' ? 'Always' : 'IfNotPresent';
}

/** Returns the tag of an image: `latest` without tag and digest; `undefined` when the name is invalid. */
function imageTag(image: string): string | undefined {
  const [named, digest] = splitOnce(image, '@');
  if (digest !== undefined && !isDigest(digest)) return undefined;
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  const name = hasTag ? named.slice(0, colon) : named;
  const tag = hasTag ? named.slice(colon + 1) : undefined;
  if (!isName(name) || (tag !== undefined && !tagPattern.test(tag))) return undefined;
  return tag ?? (digest === undefined ? 'latest' : '');
}

/** The first part is a registry if it looks like a host; all others are path components. */
function isName(name: string): boolean {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  const hasDomain = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  if (hasDomain && !domain.test(first)) return false;
  const path = hasDomain ? name.slice(slash + 1) : name;
  return (
    pathOnRegistry(path, hasDomain ? first : dockerHub).length <= maxPathLength &&
    !/^[a-f0-9]{64}$/.test(name) &&
    path.split('/').every((part) => component.test(part))
  );
}

const dockerHub = 'docker.io';

/** Docker Hub keeps images without a path under `library`. */
function pathOnRegistry(path: string, registry: string): string {
  return [dockerHub, 'index.docker.io'].includes(registry) && !path.includes('/') ? `library/${path}` : path;
}

function isDigest(digest: string): boolean {
  if (digest.startsWith('sha256:')) return /^[a-f0-9]{64}$/.test(digest.slice('sha256:'.length));
  return digestPattern.test(digest);
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
