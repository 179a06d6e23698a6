import { headerText } from './fields.ts';
import type { Impersonation } from './kubeconfig.ts';

/** Returns the Impersonate-* headers. */
export function impersonationHeaders(
  impersonation: Impersonation | undefined,
): Readonly<Record<string, string | readonly string[]>> {
  if (impersonation === undefined) return {};
  const { user, uid, groups = [], extra = {} } = impersonation;
  const text = (value: string): string => headerText(value, 'the user, group or extra to impersonate');
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': text(user) };
  if (uid !== undefined) headers['impersonate-uid'] = text(uid);
  if (groups.length > 0) headers['impersonate-group'] = groups.map(text);
  for (const [key, values] of Object.entries(extra)) headers[`impersonate-extra-${escapeKey(key)}`] = values.map(text);
  return headers;
}

/** Percent-encodes characters that a header name may not have, and the percent sign, so that the server can decode it. */
function escapeKey(key: string): string {
  return [...Buffer.from(key.toLowerCase())]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[a-z0-9!#$&'*+.^_`|~-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}
