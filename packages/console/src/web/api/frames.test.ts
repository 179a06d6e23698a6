import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WatchFrame } from '../../protocol.ts';
import { FrameReader } from './frames.ts';

const frame = fc.oneof(
  fc.record({ id: fc.nat(9), status: fc.constantFrom(200, 403) }),
  fc.record({ id: fc.nat(9), isOver: fc.constant(true as const) }),
  fc.record({ id: fc.nat(9), text: fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }) }),
);

test('a stream is taken apart into what was put into it, whatever the pieces', () => {
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 12 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      (sent, sizes) => {
        const encoder = new TextEncoder();
        const stream = sent.flatMap((each) => {
          if (!('text' in each)) return [encoder.encode(`${JSON.stringify(each)}\n`)];
          const bytes = encoder.encode(each.text);
          return [encoder.encode(`${JSON.stringify({ id: each.id, bytes: bytes.length })}\n`), bytes];
        });
        const all = Buffer.concat(stream);
        const reader = new FrameReader();
        const found: (WatchFrame | { id: number; text: string })[] = [];
        const bytes = new Map<number, Uint8Array[]>();
        for (let at = 0; at < all.length; ) {
          const size = sizes.next().value ?? 1;
          for (const part of reader.read(all.subarray(at, at + size))) {
            if (part.bytes === undefined) found.push(part.frame);
            else if ('bytes' in part.frame) {
              const parts = bytes.get(part.frame.id) ?? [];
              parts.push(part.bytes);
              const whole = Buffer.concat(parts);
              bytes.set(part.frame.id, whole.length < part.frame.bytes ? parts : []);
              if (whole.length === part.frame.bytes) found.push({ id: part.frame.id, text: whole.toString() });
            }
          }
          at += size;
        }
        expect(found).toEqual(
          sent.map((each) => ('text' in each ? { ...each, text: Buffer.from(each.text).toString() } : each)),
        );
      },
    ),
  );
});
