// Finds the codes of errors in the sources: the reasons of the API, and the unions of failures with their messages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..', '..', 'packages');
const CLASSES = [
  ['StoreError', '@pintle/store', 'store/src/errors.ts'],
  ['ClientError', '@pintle/client', 'client/src/errors.ts'],
  ['OperatorError', '@pintle/operator', 'operator/src/errors.ts'],
  ['ResourceError', '@pintle/operator', 'operator/src/resource/errors.ts'],
];

/** Returns the page of error codes. */
export async function errorsPage() {
  const { codeOfReason } = await import(pathToFileURL(join(root, 'machinery', 'dist', 'errors', 'index.js')));
  const reasons = Object.entries(codeOfReason).map(([reason, code]) => `| \`${reason}\` | ${code} |`);
  const api = ['## The API: StatusError', '', '| `reason` | HTTP |', '|---|---|', ...reasons].join('\n');
  const classes = CLASSES.map(([name, of, file]) => {
    const rows = failuresOf(readFileSync(join(root, file), 'utf8'));
    const lines = rows.map(({ code, text, message }) => `| \`${code}\` | ${cell(message)} | ${cell(text)} |`);
    return [`## ${of}: ${name}`, '', '| `failure.code` | message | |', '|---|---|---|', ...lines].join('\n');
  });
  return [
    '# Error codes',
    'Generated from the sources. [Troubleshooting](../troubleshooting.md) has causes and fixes.',
    api,
    ...classes,
  ].join('\n\n');
}

/** Returns the codes of the union in a file, with its comments and messages. */
export function failuresOf(text) {
  const union = text.slice(text.indexOf('Failure ='), text.search(/^(?:export )?class |^\/\*\* Thrown when/m));
  return [...union.matchAll(/(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?\| \{\s*readonly code: '(\w+)'/g)].map(
    ([, comment = '', code]) => ({
      code,
      text: comment.replace(/\s*\n?\s*\* ?/g, ' ').trim(),
      message: messageOf(text, code),
    }),
  );
}

/** Returns the template of the message with `…` for its values. */
function messageOf(text, code) {
  const from = text.indexOf(`case '${code}':`);
  const template = from < 0 ? -1 : text.indexOf('return `', from);
  const next = text.indexOf("case '", from + 1);
  if (template < 0 || (next >= 0 && next < template)) return '';
  let message = '';
  let depth = 0;
  for (let i = template + 'return `'.length; depth > 0 || text[i] !== '`'; i++) {
    if (text.startsWith('${', i)) {
      if (depth === 0) message += '…';
      depth++;
      i++;
    } else if (depth > 0 && text[i] === '{') depth++;
    else if (depth > 0 && text[i] === '}') depth--;
    else if (depth === 0) message += text[i];
  }
  return message;
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}
