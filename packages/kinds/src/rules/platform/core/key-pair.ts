/**
 * Returns warnings about a certificate and its key in PEM: an input without blocks, or with blocks of another type.
 * Does not check that the two belong together.
 */
export function keyPairWarnings(certificate: string, key: string): readonly string[] {
  const inCertificate = blockTypes(certificate);
  const inKey = blockTypes(key);
  if (!inCertificate.includes('CERTIFICATE')) return [certificateProblem(inCertificate)];
  if (!inKey.some(isPrivateKey)) return [keyProblem(inKey)];
  return [];
}

function certificateProblem(found: readonly string[]): string {
  if (found.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (found.length === 1 && found[0]!.endsWith('PRIVATE KEY'))
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${found.join(' ')}]`;
}

function keyProblem(found: readonly string[]): string {
  if (found.length === 0) return 'tls: failed to find any PEM data in key input';
  if (found.length === 1 && found[0] === 'CERTIFICATE')
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${found.join(' ')}]`;
}

function isPrivateKey(type: string): boolean {
  return type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');
}

/** Returns the types of the blocks that have an end. */
export function blockTypes(text: string): string[] {
  const types: string[] = [];
  let open: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const marker = /^-----(BEGIN|END) ([A-Z0-9 ]+)-----\s*$/.exec(line);
    if (marker === null) continue;
    if (marker[1] === 'BEGIN') open = marker[2];
    else if (marker[2] === open && open !== undefined) types.push(open);
  }
  return types;
}
