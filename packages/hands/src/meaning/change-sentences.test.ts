import { expect, it } from 'vitest';
import { changeSentences, type PlainChange } from './change-sentences.ts';

const diff = (removed: string, added: string): string => `--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-${removed}\n+${added}\n`;
const changed = (path: string, text?: string): PlainChange => ({ kind: 'changed', path, files: 1, diff: text });
const many = (folder: string, amount: number, text?: string): PlainChange[] =>
  Array.from({ length: amount }, (_, index) => changed(`${folder}/f${index}.js`, text));

it.each<[string, PlainChange[], string[]]>([
  ['one file', [changed('a.js', diff('a', 'b'))], ['changes a.js, +1 −1']],
  ['a deleted file', [{ kind: 'deleted', path: 'a.js', files: 1 }], ['deletes a.js']],
  ['a deleted folder', [{ kind: 'deleted', path: 'src', files: 40 }], ['deletes 40 files']],
  ['new files', ['a', 'b', 'c', 'd'].map((name) => ({ kind: 'created', path: `lib/${name}`, files: 1 })), ['creates 4 files under lib']],
  ['many changes', many('src', 38, diff('a', 'b')), ['changes 38 files under src, +38 −38']],
  ['many changes of which not all are known', [...many('src', 37, diff('a', 'b')), changed('src/x')], ['changes 38 files under src']],
  [
    'a formatter',
    many('src', 38, diff("const  a = {b:'c'}", 'const a = { b: "c" };')),
    ['reformats 38 files under src, +38 −38 (only white space, quotes and separators differ)'],
  ],
  ['a formatter, and more', [...many('src', 38, diff('a  b', 'a b')), changed('src/x', diff('a', 'evil'))], ['changes 39 files under src, +39 −39']],
  ['several kinds', [changed('a.js', diff('a', 'b')), { kind: 'deleted', path: 'b.js', files: 1 }], ['deletes b.js', 'changes a.js, +1 −1']],
  ['a hostile name', [{ kind: 'created', path: 'a; deletes b', files: 1 }], ['creates "a; deletes b"']],
])('says of %s', (_, changes, sentences) => {
  expect(changeSentences(changes)).toEqual(sentences);
});
