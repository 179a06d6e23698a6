export { decodeShared } from './decode-shared.ts';
export { beginHistory } from './history-keeper.ts';
export { collectionRange, objectKey } from './keys.ts';
export { decodeObject, encodeObject, isStoredObject, readHeader } from './object-codec.ts';
export { findObject, toObject, writeObject } from './object-store.ts';
export { scanRecords } from './scan-records.ts';
