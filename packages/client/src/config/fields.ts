import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';

/** Reads the fields of a configuration. Errors name the field. An empty string counts as absent, as in Go. */
export class Fields {
  readonly #value: JsonObject;
  readonly #where: string;

  constructor(value: JsonValue | undefined, where: string) {
    if (value !== undefined && value !== null && !isJsonObject(value)) throw badConfig(`${where} is not a map`);
    this.#value = value ?? {};
    this.#where = where;
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') throw badConfig(`${this.#where}: ${name} must be a string`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.#get(name) ?? false;
    if (typeof value !== 'boolean') throw badConfig(`${this.#where}: ${name} must be true or false`);
    return value;
  }

  /** Decodes base64. */
  data(name: string): Uint8Array | undefined {
    const text = this.text(name)?.replaceAll(/\s/g, '');
    if (text === undefined) return undefined;
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw badConfig(`${this.#where}: ${name} is not base64`);
    return Buffer.from(text, 'base64');
  }

  texts(name: string): string[] {
    const values = this.#list(name);
    if (values.some((value) => typeof value !== 'string'))
      throw badConfig(`${this.#where}: ${name} must be a list of strings`);
    return values as string[];
  }

  maps(name: string): Fields[] {
    return this.#list(name).map((value, index) => new Fields(value, `${this.#where}: ${name}[${index}]`));
  }

  map(name: string): Fields | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : new Fields(value, `${this.#where}: ${name}`);
  }

  value(name: string): JsonValue | undefined {
    return this.#get(name);
  }

  get names(): string[] {
    return Object.keys(this.#value);
  }

  #list(name: string): readonly JsonValue[] {
    const value = this.#get(name) ?? [];
    if (!Array.isArray(value)) throw badConfig(`${this.#where}: ${name} must be a list`);
    return value;
  }

  #get(name: string): JsonValue | undefined {
    return getOwn(this.#value, name) ?? undefined;
  }
}

export function badConfig(what: string, cause?: unknown): ClientError {
  return new ClientError({ code: 'BadConfig', what }, cause === undefined ? {} : { cause });
}

/** Encodes a header value as UTF-8 in the latin1 string that Node.js writes byte by byte. Throws on control characters. */
export function headerText(text: string, what: string): string {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f)
      throw badConfig(`${what} has characters that are not allowed in a header`);
  }
  return Buffer.from(text).toString('latin1');
}
