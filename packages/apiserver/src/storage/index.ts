export { decodeShared } from './decode-shared.ts';
export { beginHistory } from './history-keeper.ts';
export { collectionRange, escapeName, objectKey, unescapeName } from './keys.ts';
export { decodeObject, encodeObject, jsonForStorage, readHeader, toStoredObject } from './object-codec.ts';
export { findObject, toObject, writeObject } from './object-store.ts';
export { scanRecords } from './scan-records.ts';
