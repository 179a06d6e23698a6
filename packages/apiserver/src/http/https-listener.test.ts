import { describeListener } from '../testing/describe-listener.ts';
import { HttpsListener } from './https-listener.ts';

describeListener('the listener with its own HTTP/2', (options) => HttpsListener.listen({ ...options, http2: 'fast' }));
describeListener("the listener with Node's HTTP/2", (options) => HttpsListener.listen({ ...options, http2: 'node' }));
