import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { fakeEditor, type FakeEditor, type FakeEditorOptions } from '../testing/fake-editor.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const DISK = 'one\n';
const TYPED = 'one\ntyped\n';
const PATCH = '*** Begin Patch\n*** Update File: a\n@@\n-typed\n+edited\n*** Update File: b\n@@\n-typed\n+edited\n*** End Patch';

/** An editor with unsaved texts of two files. */
async function opened(how: FakeEditorOptions): Promise<TemporaryHands & { readonly editor: FakeEditor }> {
  const editor = fakeEditor(how);
  const at = await temporaryHands({ a: DISK, b: DISK }, { buffers: editor.buffers });
  for (const name of ['a', 'b']) editor.texts.set(at.at(name), TYPED);
  return Object.assign(at, { editor });
}

const onDisk = ({ at }: Pick<TemporaryHands, 'at'>): string[] => ['a', 'b'].map((name) => readFileSync(at(name), 'utf8'));
const format = (word: string) => (text: string) => text.replace(`${word}\n`, `${word};\n`);
const failAt =
  (word: string): NonNullable<FakeEditorOptions['onWrite']> =>
  (file, text) =>
    file.endsWith('b') && text.includes(word) ? Promise.reject(new Error('read-only buffer')) : undefined;

it('an edit that the editor formatted is taken back if the next one fails', async () => {
  await using at = await opened({ format: format('edited'), onWrite: failAt('edited') });
  expect(await at.hands.call('apply_patch', { patch: PATCH })).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  expect(onDisk(at)).toEqual([TYPED, TYPED]);
  // What the person typed was saved before, which can be undone.
  expect((await at.hands.changes()).map(({ path }) => path).toSorted()).toEqual(['a', 'b']);
  expect(await at.hands.undo()).toMatchObject({ ok: true });
  expect(onDisk(at)).toEqual([DISK, DISK]);
});

it.each([
  ['', (text: string) => text],
  [', formatted', format('typed')],
])('what a person typed stays saved%s if the next file cannot be saved', async (_, saved) => {
  await using at = await opened({ format: saved, onWrite: failAt('typed') });
  expect(await at.hands.call('apply_patch', { patch: PATCH })).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  expect(onDisk(at)).toEqual([saved(TYPED), DISK]);
  expect(await at.hands.changes()).toMatchObject([{ path: 'a' }]);
  expect(await at.hands.undo()).toMatchObject({ ok: true });
  expect(onDisk(at)).toEqual([DISK, DISK]);
});

it.each([
  ['an edit', 'edited', TYPED],
  ['a save', 'typed', DISK],
])('%s that the editor wrote in another form before it failed can be undone', async (_, word, undone) => {
  await using at = await opened({
    async onWrite(file, text) {
      if (!text.includes(word)) return;
      writeFileSync(file, format(word)(text));
      throw new Error('the format failed');
    },
  });
  const edit = { path: 'a', edits: [{ old_text: 'typed', new_text: 'edited' }] };
  expect(await at.hands.call('edit_file', edit)).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  expect(onDisk(at)).toEqual([`one\n${word};\n`, DISK]);
  expect(await at.hands.changes()).toMatchObject([{ path: 'a' }]);
  expect(await at.hands.undo()).toMatchObject({ ok: true });
  expect(onDisk(at)).toEqual([undone, DISK]);
});

it.each([
  ['edited', [TYPED, TYPED], [DISK, DISK]],
  ['typed', ['one\ntyped;\n', DISK], [DISK, DISK]],
])('the next process knows what the editor had written when this one was killed: %s', async (word, left, undone) => {
  await using at = await temporaryHands({ a: DISK, b: DISK });
  const options = {
    workspace: at.at('.'),
    stateFolder: join(at.outside, 'state'),
    configFolder: join(at.outside, 'config'),
    allow: ['write'] as const,
  };
  await runScript(`
    const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
    const { fakeEditor } = await import(${sourceUrl('testing/fake-editor.ts')});
    const onWrite = (file, text) => file.endsWith('b') && text.includes(${JSON.stringify(word)}) && process.kill(process.pid, 'SIGKILL');
    const editor = fakeEditor({ onWrite, format: (text) => text.replace(${JSON.stringify(`${word}\n`)}, ${JSON.stringify(`${word};\n`)}) });
    for (const file of ${JSON.stringify([at.at('a'), at.at('b')])}) editor.texts.set(file, ${JSON.stringify(TYPED)});
    const hands = await createHands({ ...${JSON.stringify(options)}, buffers: editor.buffers });
    await hands.call('apply_patch', { patch: ${JSON.stringify(PATCH)} });`).output;
  expect(onDisk(at)[0]).toBe(`one\n${word};\n`);
  await using hands = await createHands(options);
  expect(await hands.call('create_directory', { path: 'other' })).toMatchObject({ ok: true });
  expect(onDisk(at)).toEqual(left);
  expect(await hands.undo()).toMatchObject({ ok: true });
  expect(await hands.undo()).toMatchObject({ ok: true });
  expect(onDisk(at)).toEqual(undone);
});
