/** Types whose values have an order, by which lists of them can be sorted, summed up and searched. */
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
