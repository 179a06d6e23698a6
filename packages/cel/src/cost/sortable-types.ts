/** Types with an order, whose lists can be sorted, summed and searched. */
export const sortableTypes = [
  'int',
  'uint',
  'double',
  'bool',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'string',
  'bytes',
];
