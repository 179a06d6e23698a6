export { unmarshal } from './go-messages.ts';
export { preconditionFailed } from './storage-errors.ts';
