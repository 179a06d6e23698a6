/** Exports only `Manager`, so that the bundle leaves out the parts of the operator package that define resources. */
export { Manager } from '@pintle/operator';
