import { badConfig } from './fields.ts';

/** Settings of an operator process, from its environment. */
export interface ProgramSettings {
  /** LOG_LEVEL: lowest level that is logged. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
  /**
   * PINTLE_WEBHOOKS: `none` serves and registers no webhooks. `local`: the API server runs on this machine and belongs
   * to the user who starts the operator. A URL: where the API server reaches the webhooks while this process runs. With
   * PINTLE_WEBHOOK_CERTIFICATE, a file, the next process uses the same URL: the certificate is kept in the file, and the
   * registration stays.
   */
  readonly webhooks?: 'none' | 'local' | { readonly url: string; readonly certificateFile?: string };
  /**
   * PINTLE_DEFINITIONS: `install` installs the definitions of the code on the server before anything else, `compare`
   * logs which of them differ there.
   */
  readonly definitions?: 'install' | 'compare';
  /**
   * PINTLE_DESCRIPTIONS: JSON file with descriptions of fields, taken from the comments of the sources, for definitions that
   * are installed. Without one, the descriptions on the server stay.
   */
  readonly descriptionsFile?: string;
  /** PINTLE_LEASE_NAMESPACE: namespace of the lease for leader election, unless the code sets one. */
  readonly leaseNamespace?: string;
  /** PINTLE_TELEMETRY: `on` or `off`, whether the operator reports to the console. Replaces what the code says. */
  readonly telemetry?: boolean;
}

/** Accepts names that other programs use for the same levels. */
const LEVELS: ReadonlyMap<string, ProgramSettings['logLevel']> = new Map([
  ['trace', 'debug'],
  ['debug', 'debug'],
  ['info', 'info'],
  ['warn', 'warn'],
  ['warning', 'warn'],
  ['error', 'error'],
  ['fatal', 'error'],
]);

/** Throws a `ClientError` of code BadConfig for an unknown value. */
export function loadProgramSettings(env: Readonly<Record<string, string | undefined>> = process.env): ProgramSettings {
  const { LOG_LEVEL: level, PINTLE_WEBHOOKS: webhooks, PINTLE_DEFINITIONS: definitions } = env;
  const { PINTLE_DESCRIPTIONS: descriptionsFile, PINTLE_WEBHOOK_CERTIFICATE: certificateFile } = env;
  const { PINTLE_LEASE_NAMESPACE: leaseNamespace, PINTLE_TELEMETRY: telemetry } = env;
  return {
    ...(level && { logLevel: levelOf(level) }),
    ...(webhooks && { webhooks: webhooksOf(webhooks, certificateFile) }),
    ...(definitions && { definitions: definitionsOf(definitions) }),
    ...(descriptionsFile && { descriptionsFile }),
    ...(leaseNamespace && { leaseNamespace }),
    ...(telemetry && { telemetry: switchOf('PINTLE_TELEMETRY', telemetry) }),
  };
}

function levelOf(text: string): NonNullable<ProgramSettings['logLevel']> {
  const level = LEVELS.get(text.toLowerCase());
  if (level === undefined) throw badConfig(`LOG_LEVEL is ${JSON.stringify(text)}: use debug, info, warn or error`);
  return level;
}

function webhooksOf(text: string, certificateFile: string | undefined): NonNullable<ProgramSettings['webhooks']> {
  if (text === 'none' || text === 'local') return text;
  const url = webhookUrl(text);
  if (url === undefined) throw badConfig(`PINTLE_WEBHOOKS is ${JSON.stringify(text)}: use none, local or an https URL`);
  return { url, ...(certificateFile && { certificateFile }) };
}

/** Returns the URL as it is registered; `undefined` when the API server would refuse it. */
export function webhookUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.protocol !== 'https:') return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined;
  return url.href.replace(/\/$/, '');
}

function definitionsOf(text: string): NonNullable<ProgramSettings['definitions']> {
  if (text !== 'install' && text !== 'compare')
    throw badConfig(`PINTLE_DEFINITIONS is ${JSON.stringify(text)}: use install or compare`);
  return text;
}

function switchOf(name: string, text: string): boolean {
  if (text !== 'on' && text !== 'off') throw badConfig(`${name} is ${JSON.stringify(text)}: use on or off`);
  return text === 'on';
}
