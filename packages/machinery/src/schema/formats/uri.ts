/** Accepts what Go's `url.ParseRequestURI` accepts: an absolute URI or an absolute path. */
export function isRequestUri(text: string): boolean {
  if (text === '*') return true;
  if (text === '' || text.startsWith(':') || hasControlCharacter(text)) return false;
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? '';
  const rest = beforeQuery(text.slice(scheme.length));
  if (!rest.startsWith('/')) return scheme !== '';
  if (scheme === '' || !rest.startsWith('//')) return hasGoodEscapes(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority) && (slash < 0 || hasGoodEscapes(rest.slice(slash)));
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function beforeQuery(text: string): string {
  const question = text.indexOf('?');
  return question < 0 ? text : text.slice(0, question);
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  return (at < 0 || isUserInfo(authority.slice(0, at))) && isHost(authority.slice(at + 1));
}

function isUserInfo(text: string): boolean {
  return /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(text) && hasGoodEscapes(text);
}

function isHost(text: string): boolean {
  if (text.startsWith('[')) {
    const end = text.lastIndexOf(']');
    return end > 0 && isOptionalPort(text.slice(end + 1)) && isHostText(text.slice(0, end + 1));
  }
  const colon = text.lastIndexOf(':');
  return (colon < 0 || isOptionalPort(text.slice(colon))) && isHostText(text);
}

function isOptionalPort(text: string): boolean {
  return text === '' || /^:[0-9]*$/.test(text);
}

/** Percent escapes may only encode bytes beyond ASCII here, or a percent sign. */
function isHostText(text: string): boolean {
  const spelled = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\uffff]|%25|%[89a-fA-F][0-9a-fA-F])*$/;
  return spelled.test(text);
}

function hasGoodEscapes(text: string): boolean {
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1)) {
    if (!/^[0-9a-fA-F]{2}$/.test(text.slice(at + 1, at + 3))) return false;
  }
  return true;
}
