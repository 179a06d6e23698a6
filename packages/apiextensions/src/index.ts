export { DefinitionController } from './definition-controller.ts';
