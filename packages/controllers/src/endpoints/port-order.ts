const OFFSET = 0x6c62272e07bb014262b821756295c58dn;
const PRIME = 0x1000000000000000000013bn;
const MASK = (1n << 128n) - 1n;
/** Ports are few and the same again and again; beyond so many, what was known is forgotten. */
const MAX_KNOWN = 1_000;
const known = new Map<string, bigint>();

/**
 * Ports in the order in which clusters write them: that of the FNV-1a hashes of their texts. So whoever compares what a
 * cluster made with what was made here finds no difference.
 */
export function inOrderOfHash<P>(ports: readonly P[], textOf: (port: P) => string): P[] {
  if (ports.length < 2) return [...ports];
  const hashed = ports.map((port) => ({ port, hash: hashOf(textOf(port)) }));
  return hashed.sort((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ port }) => port);
}

/** The text of a port in a slice, where every field may be missing. */
export function slicePortText({ name, protocol, port, appProtocol }: PortFields): string {
  const fields = [
    `Name:(*string)${name ?? NIL}`,
    `Protocol:(*v1.Protocol)${protocol ?? NIL}`,
    `Port:(*int32)${port ?? NIL}`,
  ];
  return `(v1.EndpointPort){${[...fields, `AppProtocol:(*string)${appProtocol ?? NIL}`].join(' ')}}`;
}

/** The text of a port in the older form. */
export function endpointsPortText({ name = '', protocol = '', port = 0, appProtocol }: PortFields): string {
  const fields = [`Name:(string)${name}`, `Port:(int32)${port}`, `Protocol:(v1.Protocol)${protocol}`];
  return `(v1.EndpointPort){${[...fields, `AppProtocol:(*string)${appProtocol ?? NIL}`].join(' ')}}`;
}

interface PortFields {
  readonly name?: string | null;
  readonly protocol?: string | null;
  readonly port?: number | null;
  readonly appProtocol?: string | null;
}

const NIL = '<nil>';

function hashOf(text: string): bigint {
  const found = known.get(text);
  if (found !== undefined) return found;
  let hash = OFFSET;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * PRIME) & MASK;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, hash);
  return hash;
}
