/** A hash of 128 bits as four words, the most significant first. */
type Hash = readonly [number, number, number, number];

const OFFSET: Hash = [0x6c62272e, 0x07bb0142, 0x62b82175, 0x6295c58d];
/** Low part of the prime 2^88 + 0x13b. */
const PRIME_LOW = 0x13b;
const PRIME_SHIFT = 24;
const WORD = 2 ** 32;

/** Sorts ports as Kubernetes does, by the FNV-1a hashes of their texts, so that objects of both compare equal. */
export function sortByHash<P>(ports: readonly P[], textOf: (port: P) => string): P[] {
  if (ports.length < 2) return [...ports];
  const hashed = ports.map((port) => ({ port, hash: hashOf(textOf(port)) }));
  return hashed.sort((a, b) => (isLess(a.hash, b.hash) ? -1 : 1)).map(({ port }) => port);
}

/** Returns the text of a port of an EndpointSlice, where every field may be absent. */
export function slicePortText({ name, protocol, port, appProtocol }: PortFields): string {
  const fields = [
    `Name:(*string)${name ?? NIL}`,
    `Protocol:(*v1.Protocol)${protocol ?? NIL}`,
    `Port:(*int32)${port ?? NIL}`,
  ];
  return `(v1.EndpointPort){${[...fields, `AppProtocol:(*string)${appProtocol ?? NIL}`].join(' ')}}`;
}

/** Returns the text of a port of Endpoints. */
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

/** Uses words instead of a bigint: a Service may have tens of thousands of ports of a hundred bytes. */
function hashOf(text: string): Hash {
  let [a, b, c, d] = OFFSET;
  for (const byte of Buffer.from(text)) {
    d = (d ^ byte) >>> 0;
    const low = d * PRIME_LOW;
    const third = c * PRIME_LOW + Math.floor(low / WORD);
    const second = b * PRIME_LOW + Math.floor(third / WORD) + ((d << PRIME_SHIFT) >>> 0);
    const first = a * PRIME_LOW + Math.floor(second / WORD) + (((c << PRIME_SHIFT) | (d >>> (32 - PRIME_SHIFT))) >>> 0);
    a = first >>> 0;
    b = second >>> 0;
    c = third >>> 0;
    d = low >>> 0;
  }
  return [a, b, c, d];
}

function isLess(one: Hash, other: Hash): boolean {
  if (one[0] !== other[0]) return one[0] < other[0];
  if (one[1] !== other[1]) return one[1] < other[1];
  return one[2] === other[2] ? one[3] < other[3] : one[2] < other[2];
}
