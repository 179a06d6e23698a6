/**
 * What a token secret says besides its token. The certificate has to be the right one; of the namespace it is enough that
 * something is said.
 */
export function fixedData(
  kept: Readonly<Record<string, string>>,
  { rootCa, namespace }: { readonly rootCa: string; readonly namespace: string },
): { readonly 'ca.crt': string; readonly namespace: string } {
  return { 'ca.crt': encode(rootCa), namespace: kept.namespace || encode(namespace) };
}

/** Nothing is missing, and nothing is to be replaced. */
export function isComplete(kept: Readonly<Record<string, string>>, fixed: ReturnType<typeof fixedData>): boolean {
  return !!kept.token && kept['ca.crt'] === fixed['ca.crt'] && kept.namespace === fixed.namespace;
}

export function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
