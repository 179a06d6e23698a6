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
export type { ShardFence, ShardSlot } from './shard-map.ts';
export {
  FENCE_HEADER,
  formatFence,
  formatShardMap,
  parseFence,
  parseShardMap,
  SHARD_MAP_KEY,
  SHARD_MAP_LABEL,
} from './shard-map.ts';
export type { ShardField, ShardHash, ShardRange } from './shard-selector.ts';
export {
  OWNER_UID_LABEL,
  SHARD_FIELDS,
  SHARD_SLOTS,
  ShardSelector,
  shardHash,
  shardSlot,
  shardValue,
  slotSelector,
} from './shard-selector.ts';
