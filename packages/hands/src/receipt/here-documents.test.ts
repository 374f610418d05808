import { expect, it } from 'vitest';
import { withoutHereDocuments } from './here-documents.ts';

const hidden = expect.stringMatching(/^cat > a <<'?END'?\n\[\d+ bytes, [0-9a-f]{16}\]/u) as string;

it.each([
  ['cat > a <<END\none\ntwo\nEND'],
  ["cat > a <<'END'\none\ntwo\nEND\necho end"],
  ['cat > a <<END\none\n\tEND'],
  ['cat > a <<END\none, without an end'],
])('hides the text of %j', (text) => {
  expect(withoutHereDocuments(text)).toEqual(hidden);
  expect(withoutHereDocuments(text)).not.toMatch(/one|two/u);
});

it.each(['cat <<< "one"', 'echo $((1 << 2))\necho 2', 'npm test', 'git log --oneline'])('leaves %j', (text) => {
  expect(withoutHereDocuments(text)).toBe(text);
});

it('tells texts apart, and shows what follows', () => {
  const [one, other] = ['one', 'two'].map((body) => withoutHereDocuments(`cat <<A; cat <<B\n${body}\nA\nb\nB\necho end`));
  expect(one).not.toBe(other);
  expect(one).toMatch(/\nA\n.*\necho end$/su);
});
