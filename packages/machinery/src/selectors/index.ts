export type { FieldRequirement } from './field-selector.ts';
export { CompiledFieldSelector, escapeFieldValue, parseFieldSelector } from './field-selector.ts';
export type { LabelOperator, LabelRequirement, Labels } from './label-requirement.ts';
export { formatRequirement } from './label-requirement.ts';
export { CompiledLabelSelector, everyLabelSelector, noLabelSelector } from './label-selector.ts';
export type { LabelSelector, LabelSelectorRequirement, LabelSelectorRules } from './label-selector-object.ts';
export {
  compileLabelSelector,
  formatLabelSelector,
  matchLabelsSelector,
  validateLabelSelector,
  validateLabelSelectorRequirement,
} from './label-selector-object.ts';
export { parseLabelSelector, selectorMaxBytes } from './parse-label-selector.ts';
