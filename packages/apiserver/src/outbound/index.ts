export type { OutboundRequest, OutboundResponse } from './exchange.ts';
export { OutboundError } from './exchange.ts';
export { OutboundClient } from './outbound-client.ts';
export { ResponseBody } from './response-body.ts';
export type { ClientCertificate, OutboundTarget, ServiceAddress, ServiceResolver } from './target.ts';
export { decodeBundle, hostPort, noServices, targetOfUrl } from './target.ts';
export { describeTransportError } from './transport-errors.ts';
