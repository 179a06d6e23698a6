/** `Fruit` ► `fruits`, `Policy` ► `policies`, `Class` ► `classes`, `Gateway` ► `gateways`. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
