export type { BuiltinControllerOptions } from './builtin-controllers.ts';
export { addBuiltinControllers, BUILTIN_CONTROLLERS } from './builtin-controllers.ts';
export { addSimulatedNodes } from './simulated-nodes/index.ts';
