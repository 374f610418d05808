import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLong, linePieces, PIECE_LENGTH } from './line-pieces.ts';

const answer = (...texts: readonly unknown[]): object => ({
  jsonrpc: '2.0',
  id: 1,
  result: { content: texts.map((text) => ({ type: 'text', text })), x: null },
});
const long = (unit: string): string => unit.repeat(Math.ceil((2.5 * PIECE_LENGTH) / unit.length));

it.each([
  ['a short answer', answer('x'), false],
  ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x'.repeat(PIECE_LENGTH) } }, false],
  ['another result', { jsonrpc: '2.0', id: 1, result: { tools: [] } }, false],
  ['odd content', { jsonrpc: '2.0', id: 1, result: { content: 'x'.repeat(PIECE_LENGTH) } }, false],
  ['a long text among others', answer('x', 'y'.repeat(PIECE_LENGTH)), true],
])('tells what is long: %s', (_, message, expected) => {
  expect(isLong(message)).toBe(expected);
});

describe('pieces', () => {
  it('are the line of the message, none longer than a piece with all of it escaped', () => {
    const message = answer('first', long('line\n"quoted" \\ '), 'between', long('é→\u0000'), '');
    const pieces = [...linePieces(message)];
    expect(pieces.length).toBeGreaterThan(6);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(6 * PIECE_LENGTH);
    expect(pieces.join('')).toBe(`${JSON.stringify(message)}\n`);
  });

  it('cut a pair of surrogates into escapes of the same text', () => {
    const message = answer(`x${long('😀')}`);
    const json = [...linePieces(message)].join('');
    expect(json).not.toBe(`${JSON.stringify(message)}\n`);
    expect(JSON.parse(json)).toEqual(message);
  });

  it('are of any value what JSON makes of it', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map(long));
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.constant(null),
        fc.constant(undefined),
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(fc.array(value, { maxLength: 3 }), (values) => {
        const message = { ...answer(...values), more: values };
        expect(JSON.parse([...linePieces(message)].join(''))).toEqual(JSON.parse(JSON.stringify(message)));
      }),
      { numRuns: 60 },
    );
  });
});
