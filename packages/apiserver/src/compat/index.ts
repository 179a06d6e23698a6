export { unmarshal } from './go-messages.ts';
