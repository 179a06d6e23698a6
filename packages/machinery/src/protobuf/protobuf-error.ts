/** Why bytes could not be read, or an object could not be written. Offsets count from the start of the message read. */
export type ProtobufFailure =
  | { readonly code: 'Truncated'; readonly offset: number }
  | { readonly code: 'BadVarint'; readonly offset: number }
  | { readonly code: 'BadTag'; readonly offset: number }
  | { readonly code: 'BadText'; readonly offset: number }
  | { readonly code: 'WrongWireType'; readonly offset: number; readonly field: string; readonly wireType: number }
  /** The bytes are well-formed, and stand for nothing that JSON could say: a time in the year 20000, a NaN. */
  | { readonly code: 'BadValue'; readonly field: string; readonly reason: string }
  | { readonly code: 'TooLarge'; readonly bytes: number; readonly limit: number }
  | { readonly code: 'TooDeep'; readonly limit: number }
  | { readonly code: 'TooManyItems'; readonly limit: number }
  | { readonly code: 'UnknownMessage'; readonly message: string }
  | { readonly code: 'NoEnvelope' };

export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
  readonly failure: ProtobufFailure;

  constructor(failure: ProtobufFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.failure = failure;
  }
}

function describe(failure: ProtobufFailure): string {
  switch (failure.code) {
    case 'Truncated':
      return `Cannot read protobuf: unexpected end at byte ${failure.offset}`;
    case 'BadVarint':
      return `Cannot read protobuf: the number at byte ${failure.offset} has more than 64 bits`;
    case 'BadTag':
      return `Cannot read protobuf: no field can begin with what is at byte ${failure.offset}`;
    case 'BadText':
      return `Cannot read protobuf: the string at byte ${failure.offset} is not valid UTF-8`;
    case 'WrongWireType':
      return `Cannot read field ${failure.field} at byte ${failure.offset}: wrong wire type ${failure.wireType}`;
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
      return 'Cannot read protobuf: it does not begin with the prefix of Kubernetes objects';
  }
}
