import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openLmdbStore, openMemoryStore } from './open-store.ts';
import { describeStore } from './testing/describe-store.ts';

const parent = mkdtempSync(join(tmpdir(), 'pintle-store-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describeStore('memory store', openMemoryStore);
describeStore('LMDB store', (options) => openLmdbStore(mkdtempSync(join(parent, 'store-')), options));
