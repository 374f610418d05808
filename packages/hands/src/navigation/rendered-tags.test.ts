import { expect, it } from 'vitest';
import { editFile, type EditedFile } from './edited-file.ts';
import { tagProblem } from './rendered-tags.ts';
import type { SourceFile } from './source.ts';

/** A file in which each word of the name is renamed. */
function edited(path: string, text: string, name: string, to: string): EditedFile {
  const source = { path, text, lines: [text] } as unknown as SourceFile;
  const places = Array.from(text.matchAll(new RegExp(String.raw`\b${name}\b`, 'gu')), ({ index }) => index);
  const at = (character: number) => ({ line: 0, character });
  const file = editFile(
    source,
    places.map((index) => ({ range: { start: at(index), end: at(index + name.length) }, newText: to })),
    name,
    to,
  );
  return typeof file === 'string' ? expect.fail(file) : file;
}

it.each([
  ['an element', 'a.tsx', '<head></head>', 'head', 'top', 'head is the name of an element'],
  ['an element with attributes', 'a.jsx', 'f(<head id="1" />)', 'head', 'Top', 'head is the name of an element'],
  ['a component that would become one', 'a.tsx', 'const View = f; <View a={1} />', 'View', 'view', 'its first letter must be a capital'],
])('refuses to rename %s', (_, path, text, name, to, why) => {
  expect(tagProblem([edited(path, text, name, to)], name, to)).toContain(why);
});

it.each([
  ['a component', 'a.tsx', '<View></View>', 'View', 'Screen'],
  ['a member of an object', 'a.tsx', '<view.Part />', 'view', 'screen'],
  ['an argument of a type', 'a.tsx', 'f<view>(1)', 'view', 'screen'],
  ['a type parameter', 'a.tsx', 'const f = <t,>(x: t) => x', 't', 'u'],
  ['a name in no JSX', 'a.ts', '<view>x', 'view', 'screen'],
])('lets %s be renamed', (_, path, text, name, to) => {
  expect(tagProblem([edited(path, text, name, to)], name, to)).toBeUndefined();
});
