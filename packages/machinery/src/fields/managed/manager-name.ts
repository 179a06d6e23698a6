import { isPrintable } from '../../errors/quote.ts';

const MAX_BYTES = 128;
const PLAIN_NAME = /^[\x20-\x7e]{0,128}$/;

/**
 * Returns the manager of a write that does not name one: the first part of the user agent, `kubectl` of
 * `kubectl/v1.36.4 (linux/amd64)`, without unprintable characters and truncated to the length of a manager's name.
 * `unknown` when nothing remains.
 */
export function managerNameOf(request: {
  readonly fieldManager?: string | undefined;
  readonly userAgent?: string | undefined;
}): string {
  if (request.fieldManager) return request.fieldManager;
  const slash = request.userAgent?.indexOf('/') ?? -1;
  const prefix = slash < 0 ? (request.userAgent ?? '') : request.userAgent!.slice(0, slash);
  return cut(prefix) || 'unknown';
}

function cut(text: string): string {
  if (PLAIN_NAME.test(text)) return text;
  let kept = '';
  let bytes = 0;
  for (const character of text) {
    if (!isPrintable(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_BYTES) break;
    kept += character;
  }
  return kept;
}
