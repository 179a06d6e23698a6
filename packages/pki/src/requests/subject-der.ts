/** Attribute type of an organization, 2.5.4.10, in DER. */
const ORGANIZATION = Buffer.from('060355040a', 'hex');
const SEQUENCE = 0x30;
const SET = 0x31;

/** Returns the content of a DER value, after its tag and length. */
export function contentsOf(der: Buffer): Buffer {
  return der.subarray(headLength(der));
}

/**
 * Moves organizations that stand in separate sets into one set, in DER's order of sets. Changes no byte of a type or a value,
 * nor the order of the rest.
 *
 *     O=b, O=a, CN=x  ──►  O=a + O=b, CN=x
 */
export function joinOrganizations(subject: Buffer): Buffer {
  const names = valuesIn(contentsOf(subject));
  const organizations = names.filter(isOrganization);
  if (organizations.length < 2) return subject;
  const joined = wrapped(SET, organizations.map(contentsOf).sort(Buffer.compare));
  const kept = names.filter((name) => name === organizations[0] || !isOrganization(name));
  return wrapped(
    SEQUENCE,
    kept.map((name) => (name === organizations[0] ? joined : name)),
  );
}

function isOrganization(name: Buffer): boolean {
  const attributes = valuesIn(contentsOf(name));
  return attributes.length === 1 && contentsOf(attributes[0]!).subarray(0, ORGANIZATION.length).equals(ORGANIZATION);
}

/** Splits consecutive DER values. */
function valuesIn(bytes: Buffer): Buffer[] {
  const values: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const rest = bytes.subarray(at);
    const value = rest.subarray(0, headLength(rest) + contentLength(rest));
    values.push(value);
    at += value.length;
  }
  return values;
}

function headLength(der: Buffer): number {
  const first = der[1] ?? 0;
  return first < 0x80 ? 2 : 2 + (first & 0x7f);
}

function contentLength(der: Buffer): number {
  const first = der[1] ?? 0;
  return first < 0x80 ? first : der.readUIntBE(2, first & 0x7f);
}

function wrapped(tag: number, values: readonly Buffer[]): Buffer {
  const content = Buffer.concat(values);
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const digits = Math.ceil(content.length.toString(16).length / 2);
  const length = Buffer.alloc(digits);
  length.writeUIntBE(content.length, 0, digits);
  return Buffer.concat([Buffer.from([tag, 0x80 | digits]), length, content]);
}
