export type Field = readonly [name: string, value: string];

/** What both sides know from the start (RFC 7541, appendix A), from index 1 on. */
export const STATIC_FIELDS: readonly Field[] = `
:authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|:status 204
:status 206|:status 304|:status 400|:status 404|:status 500|accept-charset|accept-encoding gzip, deflate
accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control
content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type
cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since
last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after
server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate`
  .trim()
  .split(/[|\n]/)
  .map((field) => {
    const [name, ...value] = field.split(' ');
    return [name!, value.join(' ')];
  });

/** What a field counts for, besides its texts. */
export const FIELD_BYTES = 32;

export function sizeOf([name, value]: Field): number {
  return name.length + value.length + FIELD_BYTES;
}

/** The fields that a decoder remembers: the static ones, then the newest of the others first. */
export class HeaderTable {
  /** The oldest first. */
  #added: Field[] = [];
  #size = 0;
  #maxSize: number;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(index: number): Field | undefined {
    return index <= STATIC_FIELDS.length
      ? STATIC_FIELDS[index - 1]
      : this.#added[this.#added.length - (index - STATIC_FIELDS.length)];
  }

  /** The oldest make room; one that is too large for the table leaves it empty. */
  add(field: Field): void {
    this.#added.push(field);
    this.#size += sizeOf(field);
    this.#evict();
  }

  resize(maxSize: number): void {
    this.#maxSize = maxSize;
    this.#evict();
  }

  #evict(): void {
    let gone = 0;
    while (this.#size > this.#maxSize) this.#size -= sizeOf(this.#added[gone++]!);
    if (gone > 0) this.#added.splice(0, gone);
  }
}
