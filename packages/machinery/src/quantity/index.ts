export type { IntOrString } from './int-or-string.ts';
export { scaledValue } from './int-or-string.ts';
export { isQuantity, malformed, parseQuantity, readQuantity } from './parse-quantity.ts';
export type { QuantityFormat } from './quantity.ts';
export { Quantity } from './quantity.ts';
