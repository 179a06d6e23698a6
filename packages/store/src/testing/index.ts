export type { OpenEmptyStore, StoreSuiteOptions } from './describe-store.ts';
export { describeStore } from './describe-store.ts';
export type { WriteFault } from './faulty-engine.ts';
export { diskAfter, FaultyEngine } from './faulty-engine.ts';
export type {
  RecordedAction,
  RecordedCall,
  RecordedWatch,
  RecordedWatchStep,
  TrueChange,
  TrueTransaction,
} from './history.ts';
export { readTruth, toTransaction } from './history.ts';
export type { HistoryRun, HistoryRunOptions } from './history-run.ts';
export { runHistory } from './history-run.ts';
export { checkLinearizability } from './linearizability.ts';
export { rebased } from './rebased-store.ts';
export { RecordingClient, recordWatch } from './recorder.ts';
export { checkWatch } from './watch-checker.ts';
