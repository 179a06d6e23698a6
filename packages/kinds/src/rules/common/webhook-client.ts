import { X509Certificate } from 'node:crypto';
import { type FieldPath, invalid, quote, required } from '@pintle/machinery/errors';
import { validateDns1123Subdomain, validatePortNumber } from '@pintle/machinery/names';
import { type Check, checkRequired } from './checks.ts';

/** The address of a webhook: a URL, or a service of the cluster. */
interface WebhookClient {
  url?: string;
  service?: WebhookService;
}

interface WebhookService {
  name: string;
  namespace: string;
  path?: string;
  port?: number;
}

/** Fields that errors name for the parts of a service. */
interface ServiceFields {
  readonly namespace: string;
  readonly name: string;
}

/** Kubernetes swaps the two for admission and conversion webhooks. */
export const swappedFields: ServiceFields = { namespace: 'name', name: 'namespace' };

export function* checkWebhookClient(
  { url, service }: WebhookClient,
  path: FieldPath,
  fields: ServiceFields = { namespace: 'namespace', name: 'name' },
): Check {
  if ((url === undefined) === (service === undefined))
    yield required(path, 'exactly one of url or service is required');
  else if (url !== undefined) yield* checkWebhookUrl(url, path.child('url'));
  else if (service !== undefined) yield* checkWebhookService(service, path.child('service'), fields);
}

const desiredFormat = '; desired format: https://host[/path]';

function* checkWebhookUrl(url: string, path: FieldPath): Check {
  const unreadable = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(url);
  if (unreadable !== null) {
    const problem = `parse ${quote(url)}: invalid URL escape ${quote(unreadable[0])}`;
    yield required(path, `url must be a valid URL: ${problem}${desiredFormat}`);
    return;
  }
  const parts = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(url);
  const [, scheme = '', authority = '', query = '', fragment = ''] = parts ?? [];
  const at = authority.lastIndexOf('@');
  if (scheme.toLowerCase() !== 'https')
    yield invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${desiredFormat}`);
  if (authority.slice(at + 1) === '')
    yield invalid(path, authority.slice(at + 1), `host must be specified${desiredFormat}`);
  if (at !== -1) yield invalid(path, authority.slice(0, at), 'user information is not permitted in the URL');
  if (fragment !== '') yield invalid(path, fragment, 'fragments are not permitted in the URL');
  if (query !== '') yield invalid(path, query, 'query parameters are not permitted in the URL');
}

function* checkWebhookService(service: WebhookService, path: FieldPath, fields: ServiceFields): Check {
  const values = { [fields.name]: service.name, [fields.namespace]: service.namespace };
  yield* checkRequired(path.child('name'), values.name);
  yield* checkRequired(path.child('namespace'), values.namespace);
  const wrong = validatePortNumber(service.port ?? 0);
  if (wrong.length > 0) yield invalid(path.child('port'), service.port ?? 0, `port is not valid: ${wrong.join(', ')}`);
  if (service.path) yield* checkServicePath(service.path, path.child('path'));
}

function* checkServicePath(urlPath: string, path: FieldPath): Check {
  if (urlPath === '/') return;
  if (urlPath === '//') {
    yield invalid(path, urlPath, 'segment[0] may not be empty');
    return;
  }
  if (!urlPath.startsWith('/')) yield invalid(path, urlPath, "must start with a '/'");
  for (const [index, segment] of urlPath.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (segment === '') {
      yield invalid(path, urlPath, `segment[${index}] may not be empty`);
      continue;
    }
    for (const problem of validateDns1123Subdomain(segment))
      yield invalid(path, urlPath, `segment[${index}]: ${problem}`);
  }
}

/** Checks certificates in PEM, in base64, as webhooks and APIServices have them. */
export function* checkBundle(caBundle: string | undefined, path: FieldPath): Check {
  const problem = caBundle ? problemOf(caBundle) : undefined;
  if (problem !== undefined) yield invalid(path, caBundle, `unable to load root certificates: ${problem}`);
}

/** True also when the bundle is absent. */
export function isReadable(caBundle: string | undefined): boolean {
  return !caBundle || problemOf(caBundle) === undefined;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]*-----END CERTIFICATE-----/g;

function problemOf(caBundle: string): string | undefined {
  const blocks = Buffer.from(caBundle, 'base64').toString('latin1').match(BLOCK);
  if (blocks === null) return 'unable to parse bytes as PEM block';
  try {
    for (const block of blocks) new X509Certificate(block);
    return undefined;
  } catch (error) {
    return `failed to parse certificate: ${error instanceof Error ? error.message : String(error)}`;
  }
}
