import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameSplitter } from './open-connection.ts';

const frame = (text: string, header = 'Content-Length'): Buffer => {
  const body = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${header}: ${body.length}\r\n\r\n`), body]);
};

describe('the stream of a server', () => {
  it('is cut by bytes, wherever the pieces of it end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 8 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
        (texts, sizes) => {
          const splitter = new FrameSplitter();
          const whole = Buffer.concat(texts.map((text) => frame(text)));
          const seen: string[] = [];
          for (let at = 0; at < whole.length;) {
            const size: number = sizes.next().value ?? 1;
            seen.push(...splitter.push(whole.subarray(at, at + size)).map(String));
            at += size;
          }
          expect(seen).toEqual(texts);
        },
      ),
    );
  });

  it('may name a type, and write its header as it likes', () => {
    const text = 'Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:2\r\n\r\n{}';
    expect(new FrameSplitter().push(Buffer.from(text)).map(String)).toEqual(['{}']);
  });

  it.each([
    'Content-Length: 4294967296\r\n\r\n',
    'Content-Length: 16777217\r\n\r\n',
    'Content-Length: -1\r\n\r\n',
    'Content-Length: 0\r\n\r\n',
    'Content-Length: 0x10\r\n\r\n',
    'Content-Length: 99999999999\r\n\r\n',
    'X-Content-Length: 3\r\n\r\n',
    '\r\n\r\n',
    'x'.repeat(10_000),
    'Content-Length: 1\r\n'.repeat(10_000),
  ])('%#: what is none is refused', (text) => {
    expect(() => new FrameSplitter().push(Buffer.from(text))).toThrow(RangeError);
  });

  it('says what is wrong with it', () => {
    const push = (text: string) => () => new FrameSplitter().push(Buffer.from(`Content-Length: ${text}\r\n\r\n`));
    expect(push('0')).toThrow('a message that is empty');
    expect(push('16777217')).toThrow('a message that is too large');
  });

  it('a header that comes byte by byte and never ends is refused', () => {
    const splitter = new FrameSplitter();
    expect(() => {
      for (let index = 0; index < 10_000; index += 1) splitter.push(Buffer.from('x'));
    }).toThrow(RangeError);
  });
});
