type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the proxy for `server` by HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in upper or lower case. */
export function environmentProxy(server: string, env: Environment): string | undefined {
  if (!URL.canParse(server)) return undefined;
  const { protocol, hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = env[name] || env[name.toLowerCase()];
  if (!proxy || isLoopback(host)) return undefined;
  const exempt = (env.NO_PROXY || env.no_proxy || '').split(',').map((entry) => entry.trim().toLowerCase());
  if (exempt.some((entry) => isExempt(entry, host, port || (protocol === 'https:' ? '443' : '80')))) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** `example.com` matches the domain and its subdomains, `.example.com` only subdomains, `10.0.0.0/8` addresses. */
function isExempt(entry: string, host: string, port: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  if (entry.includes('/')) return isWithin(entry, host);
  const [, name = entry, onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const domain = name.replace(/^\*?\./, '');
  return host.endsWith(`.${domain}`) || (host === domain && !/^\*?\./.test(name));
}

function isWithin(range: string, host: string): boolean {
  const [base = '', length = ''] = range.split('/');
  const [from, address] = [toNumber(base), toNumber(host)];
  const bits = Number(length);
  if (from === undefined || address === undefined || !(bits >= 0 && bits <= 32)) return false;
  const size = 2 ** (32 - bits);
  return Math.floor(from / size) === Math.floor(address / size);
}

function toNumber(address: string): number | undefined {
  const parts = address.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255))) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}
