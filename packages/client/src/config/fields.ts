import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';

/** Reads the fields of a configuration and says which one is wrong. An empty text counts as none, as in Go. */
export class Fields {
  readonly #value: JsonObject;
  readonly #where: string;

  constructor(value: JsonValue | undefined, where: string) {
    if (value !== undefined && value !== null && !isJsonObject(value)) throw bad(`${where} is no map`);
    this.#value = value ?? {};
    this.#where = where;
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') throw bad(`${this.#where}: ${name} must be a text`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.#get(name) ?? false;
    if (typeof value !== 'boolean') throw bad(`${this.#where}: ${name} must be true or false`);
    return value;
  }

  /** Base64, decoded. */
  data(name: string): Uint8Array | undefined {
    const text = this.text(name)?.replaceAll(/\s/g, '');
    if (text === undefined) return undefined;
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw bad(`${this.#where}: ${name} is no base64`);
    return Buffer.from(text, 'base64');
  }

  texts(name: string): string[] {
    const values = this.#list(name);
    if (values.some((value) => typeof value !== 'string')) throw bad(`${this.#where}: ${name} must hold texts`);
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
    if (!Array.isArray(value)) throw bad(`${this.#where}: ${name} must be a list`);
    return value;
  }

  #get(name: string): JsonValue | undefined {
    return getOwn(this.#value, name) ?? undefined;
  }
}

export function bad(what: string, cause?: unknown): ClientError {
  return new ClientError({ code: 'BadConfig', what }, cause === undefined ? {} : { cause });
}

/** A text as a header carries it: in UTF-8, of which Node writes a byte for a character. Line ends may not hide in it. */
export function headerText(text: string, what: string): string {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) throw bad(`${what} holds characters that no header can`);
  }
  return Buffer.from(text).toString('latin1');
}
