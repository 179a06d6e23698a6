import type { ProtobufTable } from '../table.ts';

/** One message with a field of every kind, for tests that need no Kubernetes type. */
export const everything: ProtobufTable = {
  'test.Everything': [
    'struct',
    '1 text pe string',
    '2 quiet po string',
    '3 maybe oo string',
    '4 strict oe string',
    '5 flag po bool',
    '6 small po int32',
    '7 big po int64',
    '8 ratio oo double',
    '9 data po bytes',
    '10 names lo string',
    '11 numbers le int64',
    '12 labels mo string',
    '13 secrets mo bytes',
    '14 child oo Everything',
    '15 children lo Everything',
    '16 + pe Inline',
    '17 time pe Time',
    '18 micro oo MicroTime',
    '19 size pe Quantity',
    '20 port pe IntOrString',
    '21 any pe Json',
    '22 verbs pe List',
    '23 wait pe Duration',
    '24 byName mo Everything',
  ].join('|'),
  'test.Inline': 'struct|1 inner po string',
  'test.Time': 'time|1 seconds pe int64|2 nanos pe int32',
  'test.MicroTime': 'microTime|1 seconds pe int64|2 nanos pe int32',
  'test.Quantity': 'quantity|1 string pe string',
  'test.IntOrString': 'intOrString|1 type pe int64|2 intVal pe int32|3 strVal pe string',
  'test.Json': 'json|1 raw pe json',
  'test.List': 'list|1 items le string',
  'test.Duration': 'duration|1 duration pe int64',
};

/** The JSON that Go would print for an empty message. */
export const zeroOfEverything = {
  text: '',
  strict: null,
  numbers: null,
  time: null,
  size: '0',
  port: 0,
  any: null,
  verbs: null,
  wait: '0s',
};
