export { messageNameOf, protobufTable } from './protobuf.ts';
