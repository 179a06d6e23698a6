/** Why bytes could not be read, or an object could not be written. Offsets count from the start of the message. */
export type ProtobufFailure =
  | { readonly code: 'Truncated'; readonly offset: number }
  | { readonly code: 'BadVarint'; readonly offset: number }
  | { readonly code: 'BadTag'; readonly offset: number }
  | { readonly code: 'BadText'; readonly offset: number }
  | { readonly code: 'WrongWireType'; readonly offset: number; readonly field: string; readonly wireType: number }
  /** The bytes are well-formed, but JSON cannot represent the value: a time in the year 20000, a NaN. */
  | { readonly code: 'BadValue'; readonly field: string; readonly reason: string }
  | { readonly code: 'TooLarge'; readonly bytes: number; readonly limit: number }
  | { readonly code: 'TooDeep'; readonly limit: number }
  | { readonly code: 'TooManyItems'; readonly limit: number }
  | { readonly code: 'UnknownMessage'; readonly message: string }
  | { readonly code: 'NoEnvelope' }
  /** No data at all, or none after the prefix. */
  | { readonly code: 'Empty'; readonly what: 'data' | 'body' };

export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
  readonly failure: ProtobufFailure;

  constructor(failure: ProtobufFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

/** Uses Kubernetes' messages where it has one, because the API server passes them on to clients. */
function describe(failure: ProtobufFailure): string {
  switch (failure.code) {
    case 'Truncated':
      return 'unexpected EOF';
    case 'BadVarint':
      return 'proto: integer overflow';
    case 'BadTag':
      return `Cannot read protobuf: there is no valid field tag at byte ${failure.offset}`;
    case 'BadText':
      return `Cannot read protobuf: the string at byte ${failure.offset} is not valid UTF-8`;
    case 'WrongWireType':
      return `proto: wrong wireType = ${failure.wireType} for field ${goName(failure.field)}`;
    case 'BadValue':
      return `Cannot convert ${failure.field}: ${failure.reason}`;
    case 'TooLarge':
      return `Cannot read protobuf of ${failure.bytes} bytes: the limit is ${failure.limit}`;
    case 'TooDeep':
      return `Cannot convert protobuf: it is nested deeper than ${failure.limit} levels`;
    case 'TooManyItems':
      return `Cannot read protobuf: it has more than ${failure.limit} items`;
    case 'UnknownMessage':
      return `Cannot convert protobuf: no message is called ${failure.message}`;
    case 'NoEnvelope':
      return 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]';
    case 'Empty':
      return `empty ${failure.what}`;
  }
}

/** Returns Go's name of a field. */
function goName(field: string): string {
  return field === 'metadata' ? 'ObjectMeta' : `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
}
