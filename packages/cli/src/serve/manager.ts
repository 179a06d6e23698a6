/** Named here, the bundle holds of the operator's package what a manager takes, and not what defines resources. */
export { Manager } from '@pintle/operator';
