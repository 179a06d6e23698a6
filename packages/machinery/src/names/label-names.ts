import { validateDns1123Subdomain } from './dns.ts';
import { byteLength, maxBytesMessage, Pattern, patternMessage } from './messages.ts';

const maxLength = 63;

const keyName = new Pattern('([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]');
const keyNameMessage = patternMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  keyName.source,
  'MyName',
  'my.name',
  '123-abc',
);

/** `example.com/MyName` or `MyName`: keys of labels, finalizers and, in letters of either case, annotations. */
export function validateQualifiedName(value: string): string[] {
  const [first, second, ...rest] = value.split('/', 3);
  if (rest.length > 0)
    return [
      `a valid label key ${keyNameMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  return second === undefined ? nameProblems(first!) : [...prefixProblems(first!), ...nameProblems(second)];
}

/** Empty, or at most 63 letters, digits, `-`, `_` and `.`, beginning and ending with a letter or digit. */
export function validateLabelValue(value: string): string[] {
  const problems = byteLength(value) > maxLength ? [maxBytesMessage(maxLength)] : [];
  if (value === '' || keyName.matches(value)) return problems;
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...problems, patternMessage(rule, `(${keyName.source})?`, 'MyValue', 'my_value', '12345')];
}

/** True when a text is certainly valid, as a key without a prefix or as a value. Nearly all labels pass this cheap test. */
export function isPlainLabel(text: string): boolean {
  return text.length <= maxLength && plain.test(text);
}

const plain = /^[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*$/;

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return validateDns1123Subdomain(prefix, maxBytesMessage).map((problem) => `prefix part ${problem}`);
}

function nameProblems(name: string): string[] {
  const problems: string[] = [];
  if (name === '') problems.push('name part must be non-empty');
  else if (byteLength(name) > maxLength) problems.push(`name part ${maxBytesMessage(maxLength)}`);
  if (!keyName.matches(name)) problems.push(`name part ${keyNameMessage}`);
  return problems;
}
