import { existsSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeEditor, type FakeEditor, type FakeEditorOptions } from '../testing/fake-editor.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';

type Place = TemporaryHands & { readonly editor: FakeEditor };

async function opened(
  files: Readonly<Record<string, string | Uint8Array>>,
  unsaved: Readonly<Record<string, string>>,
  how: FakeEditorOptions = {},
  options: Partial<HandsOptions> = {},
): Promise<Place> {
  const editor = fakeEditor(how);
  const place = await temporaryHands(files, { ...options, buffers: editor.buffers });
  for (const [path, text] of Object.entries(unsaved)) editor.texts.set(place.at(path), text);
  return Object.assign(place, { editor });
}

const DISK = 'one\ntwo\n';
const UNSAVED = 'one\ntwo\ntyped\n';
const edit = (old: string, text: string, path = 'a.txt'): unknown => ({ path, edits: [{ old_text: old, new_text: text }] });
const onDisk = (at: TemporaryHands, path = 'a.txt'): string => readFileSync(at.at(path), 'utf8');
const call = async (at: Place, name: string, input: unknown) => await at.hands.call(name as 'read_file', input as { path: string });

describe('an unsaved text', () => {
  it('is read, with a note', async () => {
    await using at = await opened({ 'a.txt': DISK }, { 'a.txt': UNSAVED });
    const result = await call(at, 'read_file', { path: 'a.txt' });
    expect(result).toMatchObject({ ok: true, data: { content: UNSAVED, total_lines: 3, size: UNSAVED.length } });
    expect(JSON.stringify(result)).toContain('unsaved changes in the editor');
  });

  it.each([
    ['edit_file', edit('typed', 'edited')],
    ['write_file', { path: 'a.txt', content: 'one\ntwo\nedited\n' }],
    ['apply_patch', { patch: '*** Begin Patch\n*** Update File: a.txt\n@@\n two\n-typed\n+edited\n*** End Patch' }],
  ])('is what %s changes, through the editor', async (name, input) => {
    await using at = await opened({ 'a.txt': DISK }, { 'a.txt': UNSAVED });
    expect(await call(at, name, input)).toMatchObject({ ok: true });
    expect(onDisk(at)).toBe('one\ntwo\nedited\n');
    // Saved as it was first, then changed.
    expect(at.editor.written.map(([, text]) => text)).toEqual([UNSAVED, 'one\ntwo\nedited\n']);
  });

  it('stays when the call is undone, and what was on disk can be had back', async () => {
    await using at = await opened({ 'a.txt': DISK }, { 'a.txt': UNSAVED });
    await call(at, 'edit_file', edit('typed', 'edited'));
    expect(await at.hands.changes()).toMatchObject([{ path: 'a.txt' }]);
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(onDisk(at)).toBe(UNSAVED);
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(onDisk(at)).toBe(DISK);
  });

  it('is not saved for an edit that does not fit', async () => {
    await using at = await opened({ 'a.txt': DISK }, { 'a.txt': UNSAVED });
    const result = await call(at, 'edit_file', edit('nowhere', 'x'));
    expect(result).toMatchObject({ ok: false });
    expect(at.editor.written).toEqual([]);
    expect(onDisk(at)).toBe(DISK);
  });

  it('is neither saved nor changed by a dry run', async () => {
    await using at = await opened({ 'a.txt': DISK }, { 'a.txt': UNSAVED });
    const result = await at.hands.call('edit_file', edit('typed', 'edited') as never, { dryRun: true });
    expect(result).toMatchObject({ ok: true });
    expect(JSON.stringify(result)).toContain('+edited');
    expect(at.editor.written).toEqual([]);
    expect(onDisk(at)).toBe(DISK);
  });

  it('is changed with other files, all or none', async () => {
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-typed\n+edited\n*** Update File: b.txt\n@@\n-b\n+c\n*** End Patch';
    await using at = await opened({ 'a.txt': DISK, 'b.txt': 'b\n' }, { 'a.txt': UNSAVED });
    expect(await call(at, 'apply_patch', { patch })).toMatchObject({ ok: true });
    expect([onDisk(at), onDisk(at, 'b.txt')]).toEqual(['one\ntwo\nedited\n', 'c\n']);
    await using other = await opened(
      { 'a.txt': DISK, 'b.txt': 'b\n' },
      { 'a.txt': UNSAVED },
      { onWrite: (file, text) => (text.includes('edited') ? writeFileSync(join(file, '..', 'b.txt'), 'other\n') : undefined) },
    );
    expect(await call(other, 'apply_patch', { patch })).toMatchObject({ ok: false, error: { code: 'conflict' } });
    expect([onDisk(other), onDisk(other, 'b.txt')]).toEqual([UNSAVED, 'other\n']);
  });
});

describe('the same text', () => {
  it.each([
    ['with CRLF', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ['with a mark', '\uFEFFone\n', 'one\n'],
    ['without its last line end', 'one\n', 'one'],
  ])('%s is no unsaved text', async (_, disk, text) => {
    await using at = await opened({ 'a.txt': disk }, { 'a.txt': text });
    const result = await call(at, 'read_file', { path: 'a.txt' });
    expect(JSON.stringify(result)).not.toContain('unsaved');
    await call(at, 'edit_file', edit('one', 'eins'));
    expect(at.editor.written).toEqual([]);
    expect(onDisk(at)).toBe(disk.replace('one', 'eins'));
  });

  it('keeps the line ends of its file', async () => {
    await using at = await opened({ 'a.txt': 'one\r\ntwo\r\n' }, { 'a.txt': 'one\ntyped' }, { format: (text) => text.replaceAll(/\r?\n/gu, '\r\n') });
    expect(await call(at, 'edit_file', edit('typed', 'edited'))).toMatchObject({ ok: true });
    expect(onDisk(at)).toBe('one\r\nedited\r\n');
  });
});

describe('an editor is not asked', () => {
  it.each([
    ['for a file that a rule hides', 'vault/k.txt', {}],
    ['for a secret that asks', '.env', {}],
    ['for a binary file', 'image.bin', {}],
    ['for a file in another encoding', 'latin.txt', {}],
  ])('%s', async (_, path) => {
    const files = { 'vault/k.txt': DISK, '.env': 'KEY=1\n', 'image.bin': Buffer.from([0, 1, 2]), 'latin.txt': Buffer.from('caf\xe9\n', 'latin1') };
    await using at = await opened(files, { [path]: UNSAVED }, {}, { policy: { deny: ['read(/vault/**)'] } });
    await call(at, 'read_file', { path });
    await call(at, 'write_file', { path, content: 'new\n' });
    expect(at.editor.asked).toEqual([]);
    expect(at.editor.written).toEqual([]);
  });

  it('for a link that leads outside', async () => {
    await using at = await opened({}, {});
    writeFileSync(join(at.outside, 'o.txt'), 'o');
    symlinkSync(join(at.outside, 'o.txt'), at.at('link.txt'));
    for (const name of ['read_file', 'write_file']) expect(await call(at, name, { path: 'link.txt', content: 'x' })).toMatchObject({ ok: false });
    expect(at.editor.asked).toEqual([]);
  });

  it('by the name of a link, but by the real path', async () => {
    await using at = await opened({ 'a.txt': DISK }, { 'a.txt': UNSAVED });
    symlinkSync('a.txt', at.at('link.txt'));
    expect(await call(at, 'read_file', { path: 'link.txt' })).toMatchObject({ ok: true, data: { content: UNSAVED } });
    expect(at.editor.asked).toEqual([at.at('a.txt')]);
  });
});

describe('the text is not used', () => {
  it('if a link led the editor elsewhere while it was asked', async () => {
    const swapped: FakeEditorOptions = {
      onRead(file) {
        // As a hostile command would, there and back.
        renameSync(file, `${file}.kept`);
        symlinkSync('../outside/o.txt', file);
      },
    };
    const editor = fakeEditor(swapped);
    const answers: unknown[] = [];
    const buffers = {
      ...editor.buffers,
      async read(file: string, signal: AbortSignal) {
        const answer = await editor.buffers.read(file, signal);
        answers.push(answer);
        unlinkSync(file);
        renameSync(`${file}.kept`, file);
        return answer;
      },
    };
    await using at = await temporaryHands({ 'a.txt': DISK }, { buffers });
    writeFileSync(join(at.outside, 'o.txt'), 'SECRET\n');
    const result = await at.hands.call('read_file', { path: 'a.txt' });
    // Without the check, the model would have got this.
    expect(answers).toEqual([{ text: 'SECRET\n' }, { text: 'SECRET\n' }]);
    expect(result).toMatchObject({ ok: true, data: { content: DISK } });
    expect(JSON.stringify(result)).not.toContain('SECRET');
  });

  it.each([
    ['is empty', ''],
    ['holds a NUL', 'a\0b'],
    ['is too large', 'x'.repeat(5 * 1024 * 1024)],
    ['is not well formed', '\ud800'],
  ])('if it %s', async (_, text) => {
    await using at = await opened({ 'a.txt': DISK }, { 'a.txt': text });
    expect(await call(at, 'read_file', { path: 'a.txt' })).toMatchObject({ ok: true, data: { content: DISK } });
  });

  it('if the editor does not answer', async () => {
    const silent = { read: () => Promise.resolve('silent' as const), write: undefined };
    await using at = await temporaryHands({ 'a.txt': DISK }, { buffers: silent });
    const result = await at.hands.call('read_file', { path: 'a.txt' });
    expect(result).toMatchObject({ ok: true, data: { content: DISK } });
    expect(JSON.stringify(result)).toContain('did not tell its text of a.txt in time');
    expect(await at.hands.call('edit_file', { path: 'a.txt', edits: [{ old_text: 'two', new_text: 'zwei' }] })).toMatchObject({ ok: true });
    expect(onDisk(at)).toBe('one\nzwei\n');
  });
});

describe('an edit is refused, and changes nothing', () => {
  it.each<[string, FakeEditorOptions, string]>([
    ['offers no change of its text', { writable: false }, 'does not let its text be changed'],
    ['does not save', { saves: false }, 'did not save'],
    ['fails', { onWrite: () => Promise.reject(new Error('read-only buffer')) }, 'read-only buffer'],
  ])('if the editor %s', async (_, how, reason) => {
    await using at = await opened({ 'a.txt': DISK }, { 'a.txt': UNSAVED }, how);
    const result = await call(at, 'edit_file', edit('typed', 'edited'));
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).toContain(reason);
    expect(onDisk(at)).toBe(DISK);
    expect(await at.hands.changes()).toEqual([]);
  });

  it('if the person typed on', async () => {
    let asked = 0;
    const editor = fakeEditor({
      onRead(file) {
        asked += 1;
        if (asked === 2) editor.texts.set(file, `${UNSAVED}more\n`);
      },
    });
    await using at = await temporaryHands({ 'a.txt': DISK }, { buffers: editor.buffers });
    editor.texts.set(at.at('a.txt'), UNSAVED);
    const result = await at.hands.call('edit_file', { path: 'a.txt', edits: [{ old_text: 'typed', new_text: 'edited' }] });
    expect(result).toMatchObject({ ok: false, error: { code: 'conflict', retryable: true } });
    expect(editor.written).toEqual([]);
  });

  it('if the editor formats what it saves: it is read again first', async () => {
    await using at = await opened({ 'a.txt': DISK }, { 'a.txt': UNSAVED }, { format: (text) => text.replaceAll('typed', 'typed;') });
    expect(await call(at, 'edit_file', edit('typed', 'edited'))).toMatchObject({ ok: false, error: { code: 'conflict', retryable: true } });
    expect(onDisk(at)).toBe('one\ntwo\ntyped;\n');
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(onDisk(at)).toBe(DISK);
  });

  it('if the policy forbids the change', async () => {
    await using at = await opened({ 'a.txt': DISK }, { 'a.txt': UNSAVED }, {}, { policy: { deny: ['write(/a.txt)'] } });
    expect(await call(at, 'edit_file', edit('typed', 'edited'))).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(at.editor.written).toEqual([]);
    expect(existsSync(at.at('a.txt'))).toBe(true);
  });
});

it('reports that the editor formatted the edit, and records what was saved', async () => {
  await using at = await opened({ 'a.txt': DISK }, { 'a.txt': UNSAVED }, { format: (text) => text.replace('edited', 'edited;') });
  const result = await call(at, 'edit_file', edit('typed', 'edited'));
  expect(result).toMatchObject({ ok: true });
  expect(JSON.stringify(result)).toContain('changes of its own');
  expect(await at.hands.undo()).toMatchObject({ ok: true });
  expect(onDisk(at)).toBe(UNSAVED);
});
