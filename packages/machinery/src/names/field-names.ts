import { type FieldError, invalid, tooLong } from '../errors/field-error.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { isPrintable } from '../errors/quote.ts';
import { byteLength, maxCharactersMessage, Pattern, patternMessage, rangeMessage } from './messages.ts';

const configMapKey = new Pattern('[-._a-zA-Z0-9]+');
const envVarName = new Pattern('[-._a-zA-Z][-._a-zA-Z0-9]*');
const httpHeaderName = new Pattern('[-A-Za-z0-9]+');
const percent = new Pattern('[0-9]+%');
const cIdentifier = new Pattern('[A-Za-z_][A-Za-z0-9_]*');
const uuid = new Pattern('[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}');

/** A key of a ConfigMap's or Secret's data: valid as a file name. */
export function validateConfigMapKey(value: string): string[] {
  const problems = byteLength(value) > 253 ? [maxCharactersMessage(253)] : [];
  if (!configMapKey.matches(value))
    problems.push(
      patternMessage(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        configMapKey.source,
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  return [...problems, ...relativePathProblems(value)];
}

/** The strict rule for environment variables. */
export function validateEnvVarName(value: string): string[] {
  const problems: string[] = [];
  if (!envVarName.matches(value))
    problems.push(
      patternMessage(
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
        envVarName.source,
        'my.env-name',
        'MY_ENV.NAME',
        'MyEnvName1',
      ),
    );
  return [...problems, ...relativePathProblems(value)];
}

/** The rule for environment variables since Kubernetes 1.34: any printable ASCII character but `=`. */
export function validateRelaxedEnvVarName(value: string): string[] {
  if (value === '') return ['environment variable name must be non-empty'];
  if (/^[ -<>-~]*$/.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** The name of a port: an IANA service name in lower case. */
export function validatePortName(value: string): string[] {
  const problems = byteLength(value) > 15 ? [maxCharactersMessage(15)] : [];
  if (!/^[-a-z0-9]+$/.test(value))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) problems.push('must contain at least one letter (a-z)');
  if (value.includes('--')) problems.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
}

export function validateHttpHeaderName(value: string): string[] {
  if (httpHeaderName.matches(value)) return [];
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [patternMessage(rule, httpHeaderName.source, 'X-Header-Name')];
}

/** `93%` */
export function validatePercent(value: string): string[] {
  if (percent.matches(value)) return [];
  const rule = "a valid percent string must be a numeric string followed by an ending '%'";
  return [patternMessage(rule, percent.source, '1%', '93%')];
}

export function validateCIdentifier(value: string): string[] {
  if (cIdentifier.matches(value)) return [];
  const rule =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  return [patternMessage(rule, cIdentifier.source, 'my_name', 'MY_NAME', 'MyName')];
}

/** A UUID in its usual form of 36 characters, of any version. */
export function isUuid(value: string): boolean {
  return uuid.matches(value);
}

function relativePathProblems(value: string): string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

const maxBytes = 128;

/** The name of a field manager: at most 128 bytes, all printable. Empty means not given. */
export function validateFieldManager(manager: string, path: FieldPath | string): FieldError[] {
  if (manager.length <= maxBytes && /^[\x20-\x7e]*$/.test(manager)) return [];
  const errors = byteLength(manager) > maxBytes ? [tooLong(path, maxBytes)] : [];
  let position = 0;
  for (const character of manager) {
    if (!isPrintable(character))
      errors.push(invalid(path, manager, `invalid character ${codePoint(character)} (at position ${position})`));
    position += byteLength(character);
  }
  return errors;
}

/** `U+0007`; Go appends the character itself when it is printable. */
function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

const maxInt32 = 2 ** 31 - 1;

export function validateInRange(value: number | bigint, min: number, max: number): string[] {
  return value >= min && value <= max ? [] : [rangeMessage(min, max)];
}

/** 1 to 65535. */
export function validatePortNumber(value: number | bigint): string[] {
  return validateInRange(value, 1, 65535);
}

export function validateUserId(value: number | bigint): string[] {
  return validateInRange(value, 0, maxInt32);
}

export function validateGroupId(value: number | bigint): string[] {
  return validateInRange(value, 0, maxInt32);
}
