/** A protobuf message, decoded field by field. */
export interface ProtoMessage {
  text(field: number): string;
  message(field: number): ProtoMessage;
  messages(field: number): ProtoMessage[];
}

export function readProto(bytes: Uint8Array): ProtoMessage {
  const fields = [...fieldsOf(bytes)];
  const all = (field: number): Uint8Array[] => fields.filter(([number]) => number === field).map(([, value]) => value);
  const one = (field: number): Uint8Array => {
    const found = all(field)[0];
    if (found === undefined) throw new Error(`Cannot read field ${field}: it is missing`);
    return found;
  };
  return {
    text: (field) => Buffer.from(one(field)).toString(),
    message: (field) => readProto(one(field)),
    messages: (field) => all(field).map(readProto),
  };
}

function* fieldsOf(bytes: Uint8Array): Generator<[number, Uint8Array]> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const length = tag % 8 === 2 ? varint() : tag % 8 === 1 ? 8 : 0;
    if (tag % 8 === 0) varint();
    yield [Math.floor(tag / 8), bytes.subarray(at, at + length)];
    at += length;
  }
}
