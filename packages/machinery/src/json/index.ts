export type { JsonObject, JsonValue } from './value.ts';
