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

it.each([
  ['cat <<\\END > f', 'END'],
  ["cat <<'THE END' > f", 'THE END'],
  ['cat <<"END" > f', 'END'],
  ['cat <<E"N"D > f', 'END'],
  ['cat <<123 > f', '123'],
  ['cat <<+ > f', '+'],
  ['cat <<ÄÖ > f', 'ÄÖ'],
  ['cat <<-END > f', '\t\tEND'],
  ['cat 0<<END-1 | tee f', 'END-1'],
  ['cat <<END $((1 << 2))', 'END'],
])('knows the end of %j', (line, end) => {
  const shown = withoutHereDocuments(`${line}\none\n${end}\necho next`);
  expect(shown).toMatch(/\n\[3 bytes, [0-9a-f]{16}\]\n/u);
  expect(shown.endsWith(`${end}\necho next`)).toBe(true);
});

it('hides the texts of two that begin in one line, and shows one without a text', () => {
  expect(withoutHereDocuments('cat <<A - <<B\none\nA\ntwo\nB\nend')).toMatch(/^cat <<A - <<B\n\[3 .*\nA\n\[3 .*\nB\nend$/u);
  expect(withoutHereDocuments('cat <<A\nA\nend')).toMatch(/^cat <<A\n\[0 .*\nA\nend$/u);
});

it.each(['cat <<< "one"', 'echo $((1<<x))\necho one', 'echo $((1 << 2))\necho 2', 'npm test', 'git log --oneline'])('leaves %j', (text) => {
  expect(withoutHereDocuments(text)).toBe(text);
});

it('tells texts apart, and shows what follows', () => {
  const [one, other] = ['one', 'two'].map((body) => withoutHereDocuments(`cat <<A; cat <<B\n${body}\nA\nb\nB\necho end`));
  expect(one).not.toBe(other);
  expect(one).toMatch(/\nA\n.*\necho end$/su);
});
