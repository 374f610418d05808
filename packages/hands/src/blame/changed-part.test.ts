import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rewritten, textBefore, type WrittenText } from './follow-lines.ts';
import { linesOf } from './text-lines.ts';

const line = fc.constantFrom('', 'a', 'b', 'ab', 'é', '\u{1F600}', 'x'.repeat(90), `${'x'.repeat(90)}y`, 'a\r', '{', '}');
const text = fc.tuple(fc.array(line, { maxLength: 12 }), fc.boolean()).map(([lines, isEnded]) => lines.join('\n') + (isEnded ? '\n' : ''));

/** The same, without the text from which the part that differs is found. */
const asLines = ({ lines, writers }: WrittenText): WrittenText => ({ lines, writers });

it('gives each line the writer that it has where all lines are compared', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 2, maxLength: 6 }), (texts) => {
      let whole: WrittenText = textBefore(texts[0] ?? '');
      let split = whole;
      for (const [entry, next] of texts.slice(1).entries()) {
        whole = rewritten(whole, next, { by: 'hands', entry });
        split = rewritten(asLines(split), next, { by: 'hands', entry });
        expect(whole.lines).toEqual(linesOf(next));
        expect(asLines(whole)).toEqual(asLines(split));
      }
    }),
    { numRuns: 1_000 },
  );
});

it('adds a line after a last line that has no end', () => {
  const before = textBefore('a\nb');
  expect(rewritten(before, 'a\nb\nb', { by: 'hands', entry: 1 }).writers).toEqual([...before.writers, { by: 'hands', entry: 1 }]);
});

it('finds a change of one line among thousands, at each place', () => {
  const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at % 7}`);
  const before = textBefore(`${lines.join('\n')}\n`);
  for (const at of [0, 1, 1_499, 2_998, 2_999]) {
    const { writers } = rewritten(before, `${lines.toSpliced(at, 1, 'other').join('\n')}\n`, { by: 'hands', entry: 1 });
    expect(writers.flatMap(({ by }, index) => (by === 'hands' ? [index] : []))).toEqual([at]);
  }
});
