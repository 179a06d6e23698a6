import { bad } from './fields.ts';

/** Settings of one run of an operator, from the environment it is started with. */
export interface ProgramSettings {
  /** LOG_LEVEL: the least that is worth a line. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
  /**
   * PINTLE_WEBHOOKS: `none` serves and registers no webhooks, `local` says that the API server is on this machine and
   * belongs to whoever starts the operator, and a URL says where the API server reaches the webhooks while this
   * process runs. With PINTLE_WEBHOOK_CERTIFICATE, a file, the URL is also that of the process that comes after this one:
   * the certificate is kept in the file for it, and the registration stays.
   */
  readonly webhooks?: 'none' | 'local' | { readonly url: string; readonly certificateFile?: string };
  /**
   * PINTLE_DEFINITIONS: `install` brings the definitions of the code onto the server before anything else, `compare`
   * tells which of them differ there.
   */
  readonly definitions?: 'install' | 'compare';
  /**
   * PINTLE_DESCRIPTIONS: a file of JSON with descriptions of fields, from the comments of the sources, for definitions that
   * are installed. Without one, the descriptions that the server has stay.
   */
  readonly descriptionsFile?: string;
  /** PINTLE_LEASE_NAMESPACE: where the lease is that the operator competes for, unless its code says where. */
  readonly leaseNamespace?: string;
}

/** Names that other programs have for the same levels. */
const LEVELS: ReadonlyMap<string, ProgramSettings['logLevel']> = new Map([
  ['trace', 'debug'],
  ['debug', 'debug'],
  ['info', 'info'],
  ['warn', 'warn'],
  ['warning', 'warn'],
  ['error', 'error'],
  ['fatal', 'error'],
]);

/** Throws a `ClientError` of code BadConfig for what is none of the values. */
export function loadProgramSettings(env: Readonly<Record<string, string | undefined>> = process.env): ProgramSettings {
  const { LOG_LEVEL: level, PINTLE_WEBHOOKS: webhooks, PINTLE_DEFINITIONS: definitions } = env;
  const { PINTLE_DESCRIPTIONS: descriptionsFile, PINTLE_WEBHOOK_CERTIFICATE: certificateFile } = env;
  const { PINTLE_LEASE_NAMESPACE: leaseNamespace } = env;
  return {
    ...(level && { logLevel: levelOf(level) }),
    ...(webhooks && { webhooks: webhooksOf(webhooks, certificateFile) }),
    ...(definitions && { definitions: definitionsOf(definitions) }),
    ...(descriptionsFile && { descriptionsFile }),
    ...(leaseNamespace && { leaseNamespace }),
  };
}

function levelOf(text: string): NonNullable<ProgramSettings['logLevel']> {
  const level = LEVELS.get(text.toLowerCase());
  if (level === undefined) throw bad(`LOG_LEVEL is ${JSON.stringify(text)}, none of debug, info, warn and error`);
  return level;
}

function webhooksOf(text: string, certificateFile: string | undefined): NonNullable<ProgramSettings['webhooks']> {
  if (text === 'none' || text === 'local') return text;
  const url = webhookUrl(text);
  if (url === undefined)
    throw bad(`PINTLE_WEBHOOKS is ${JSON.stringify(text)}, neither none, local nor a URL of https`);
  return { url, ...(certificateFile && { certificateFile }) };
}

/** The URL as webhooks are registered with it; `undefined` when the API server would not take it. */
export function webhookUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== 'https:') return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined;
  return url.href.replace(/\/$/, '');
}

function definitionsOf(text: string): NonNullable<ProgramSettings['definitions']> {
  if (text !== 'install' && text !== 'compare')
    throw bad(`PINTLE_DEFINITIONS is ${JSON.stringify(text)}, neither install nor compare`);
  return text;
}
