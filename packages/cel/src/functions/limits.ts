import { CelError } from '../values/value.ts';

/** Size limits of strings and lists that an expression creates, independent of Kubernetes' costs. */
export const maxText = 16 * 1024 * 1024;
export const maxItems = 2_000_000;

export const tooLarge: CelError = new CelError('operation cancelled: actual cost limit exceeded');
