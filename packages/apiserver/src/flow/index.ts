export {
  AUTO_UPDATE,
  defaultFlows,
  defaultLevels,
  MANDATORY,
  MANDATORY_FLOWS,
  MANDATORY_LEVELS,
} from './default-flows.ts';
