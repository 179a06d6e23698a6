import { CelError } from '../values/value.ts';

/** Nothing an expression builds may grow beyond this, however little Kubernetes charges for it. */
export const maxText = 16 * 1024 * 1024;
export const maxItems = 2_000_000;

export const tooLarge: CelError = new CelError('operation cancelled: actual cost limit exceeded');
