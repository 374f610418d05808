import { expect, it } from 'vitest';
import { editFile } from './edited-file.ts';
import { linesOf, type SourceFile } from './source.ts';

function source(text: string): SourceFile {
  return {
    path: 'a.ts',
    text,
    lines: linesOf(text),
    bytes: Buffer.from(text),
    encoding: { name: 'utf-8', bom: false },
    version: '',
    serverPath: 'a.ts',
  };
}
const edit = (line: number, start: number, end: number, newText: string) => ({
  range: { start: { line, character: start }, end: { line, character: end } },
  newText,
});

it('replaces names, and knows where each place is afterwards', () => {
  const file = editFile(source('run(run);\r\nx = { run };\r\n'), [edit(1, 6, 9, 'run: go'), edit(0, 4, 7, 'go'), edit(0, 0, 3, 'go')], 'run', 'go');
  if (typeof file === 'string') expect.fail(file);
  expect(file.newText).toBe('go(go);\r\nx = { run: go };\r\n');
  expect(file.moved({ line: 0, character: 4 })).toEqual({ line: 0, character: 3 });
  expect(file.moved({ line: 1, character: 6 })).toEqual({ line: 1, character: 6 });
  expect(file.touches(2, 6)).toBe(true);
  expect(file.touches(1, 1)).toBe(false);
});

it('takes a place once that the server names twice', () => {
  const file = editFile(source('abc run'), [edit(0, 4, 7, 'go'), edit(0, 4, 7, 'go')], 'run', 'go');
  expect(typeof file === 'string' ? file : [file.newText, file.replacements.length]).toEqual(['abc go', 1]);
});

it('replaces a name with a mark, and inserts beside a name', () => {
  const privateName = editFile(source('this.#run();'), [edit(0, 5, 9, '#go')], '#run', '#go');
  expect(typeof privateName === 'string' ? privateName : privateName.newText).toBe('this.#go();');
  const inserted = editFile(source('P { run }'), [edit(0, 4, 4, 'go: ')], 'run', 'go');
  expect(typeof inserted === 'string' ? inserted : inserted.newText).toBe('P { go: run }');
});

it.each(['go', 'run: go', 'go: run', 'run as go', 'r#go'])('takes %j for the new name', (text) => {
  expect(typeof editFile(source('abc run xyz'), [edit(0, 4, 7, text)], 'run', 'go')).toBe('object');
});

it.each([
  ['another word', [edit(0, 0, 3, 'go')], 'does not hold run'],
  ['a place that the file does not have', [edit(9, 0, 3, 'go')], 'does not hold run'],
  ['a column that the line does not have', [edit(0, 90, 93, 'go')], 'does not hold run'],
  ['an end before the start', [edit(0, 7, 4, 'go')], 'does not hold run'],
  ['two lines of new text', [edit(0, 4, 7, 'go\nevil')], 'would write "go\\nevil" at a.ts:1'],
  ['a text without the new name', [edit(0, 4, 7, 'evil')], 'would write "evil" at a.ts:1'],
  ['more than the new name', [edit(0, 4, 7, 'go(); evil')], 'would write "go(); evil" at a.ts:1'],
  ['places that overlap', [edit(0, 4, 7, 'go'), edit(0, 5, 7, 'go')], 'overlap'],
])('refuses %s', (_, edits, why) => {
  expect(editFile(source('abc run xyz'), edits, 'run', 'go')).toContain(why);
});
