import { methods, type SessionUpdate } from '@agentclientprotocol/sdk';
import { Projects } from '@synapse/hands/internal';
import { mkdtemp, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acpFolder, openEditor, type EditorFiles } from './acp-editor.ts';
import { startChatServer, type Scripted } from './scripted-chat.ts';

const call = (name: string, input: unknown, id = '1'): Scripted => ({ kind: 'calls', calls: [{ id, name, input: JSON.stringify(input) }] });
const FILES = { 'a.txt': 'one\ntwo\n', '.env': 'KEY=1\n' };
const UNSAVED = 'one\ntwo\ntyped\n';
const READ = call('read_file', { path: 'a.txt' });
const EDIT = call('edit_file', { path: 'a.txt', edits: [{ old_text: 'typed', new_text: 'edited' }] }, '2');
const DONE: Scripted = { kind: 'text', text: 'Done.' };

/** Makes a folder a project. */
function track(folder: string): void {
  using projects = Projects.open(join(process.env['XDG_STATE_HOME'] ?? '', 'synapse'));
  projects.add(folder);
}

/** An editor that has `a.txt` open with unsaved changes, and a model that answers from a script. */
async function opened(script: readonly Scripted[], files: (unsaved: Map<string, string>) => EditorFiles, dialect?: string, answer = 'once') {
  const server = await startChatServer((_, index) => script[index] ?? DONE);
  const place = await acpFolder(FILES);
  const unsaved = new Map([[join(place.folder, 'a.txt'), UNSAVED]]);
  const asked: string[] = [];
  const { read, ...rest } = files(unsaved);
  const watched: EditorFiles = {
    ...rest,
    read(path) {
      asked.push(path);
      return read(path);
    },
  };
  const editor = await openEditor(place, { model: 'scripted', baseUrl: server.url, dialect }, () => answer, watched);
  return {
    path: join(place.folder, 'a.txt'),
    unsaved,
    asked,
    editor,
    /** What the model read of the last call. */
    answered: () => JSON.stringify(server.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')),
    /** What the model read of all calls. */
    read: () => (server.requests.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map((message) => JSON.stringify(message)),
    async [Symbol.asyncDispose]() {
      await editor[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const ends = (updates: readonly SessionUpdate[]) => updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call_update');
/** As Zed does: the text of an open buffer, and a write goes into the buffer and is saved. */
const saving = (unsaved: Map<string, string>): EditorFiles => ({
  read: async (path) => unsaved.get(path) ?? (await readFile(path, 'utf8')),
  async write(path, text) {
    unsaved.delete(path);
    await writeFile(path, text);
  },
});

describe('a file with unsaved changes', () => {
  it.each([
    ['its own names', [READ, EDIT], undefined],
    [
      "a dialect's names",
      [call('Read', { file_path: 'a.txt' }), call('Edit', { file_path: 'a.txt', old_string: 'typed', new_string: 'edited' }, '2')],
      'claude-code',
    ],
  ])('is read and edited in the editor, by %s', async (_, script, dialect) => {
    await using at = await opened(script, saving, dialect);
    const session = await at.editor.begin();
    expect(await at.editor.say(session, 'Edit')).toBe('end_turn');
    expect(await readFile(at.path, 'utf8')).toBe('one\ntwo\nedited\n');
    expect(at.unsaved.size).toBe(0);
    // The question and the diff are of what the person sees.
    expect(JSON.stringify(at.editor.questions)).toContain('edited');
    expect(ends(at.editor.updates).at(-1)).toMatchObject({
      status: 'completed',
      content: [{ type: 'diff', path: at.path, oldText: UNSAVED, newText: 'one\ntwo\nedited\n' }, {}],
    });
    await at.editor.say(session, '/undo');
    expect(await readFile(at.path, 'utf8')).toBe(UNSAVED);
  });

  it('is not changed behind an editor that only lets it be read', async () => {
    await using at = await opened([READ, EDIT], (unsaved) => ({ read: (path) => unsaved.get(path) ?? '' }));
    await at.editor.say(await at.editor.begin(), 'Edit');
    expect(at.answered()).toContain('unsaved changes in the editor');
    expect(await readFile(at.path, 'utf8')).toBe(FILES['a.txt']);
  });
});

it('is asked for several files at once', async () => {
  const both: Scripted = { kind: 'calls', calls: ['1', '2'].map((id) => ({ id, name: 'read_file', input: '{"path":"a.txt"}' })) };
  const asked: Array<() => void> = [];
  await using at = await opened([both], (unsaved) => ({
    async read(path) {
      // Answers once it was asked for both.
      const waiting = Promise.withResolvers<void>();
      asked.push(waiting.resolve);
      if (asked.length === 2) for (const answer of asked) answer();
      await waiting.promise;
      return unsaved.get(path) ?? '';
    },
  }));
  await at.editor.say(await at.editor.begin(), 'Read');
  expect(at.asked).toEqual([at.path, at.path]);
  expect(at.read()).toEqual([expect.stringContaining('typed'), expect.stringContaining('typed')]);
});

describe('a folder behind a link', () => {
  /** A link to the folder of a place, in a folder of its own. */
  async function linked(folder: string): Promise<string> {
    const link = join(await realpath(await mkdtemp(join(tmpdir(), 'synapse-link-'))), 'project');
    await symlink(folder, link);
    return link;
  }

  it('has files by the names that the editor knows', async () => {
    await using at = await opened([READ, EDIT], saving);
    const link = await linked(at.editor.folder);
    const named = join(link, 'a.txt');
    at.unsaved.clear();
    at.unsaved.set(named, UNSAVED);
    await at.editor.say(await at.editor.begin(link), 'Edit');
    expect(new Set(at.asked)).toEqual(new Set([named]));
    expect(await readFile(at.path, 'utf8')).toBe('one\ntwo\nedited\n');
    expect(ends(at.editor.updates).at(-1)).toMatchObject({ content: [{ type: 'diff', path: named }, {}], locations: [{ path: named }] });
  });

  it('has them by their real path if a command of another project could change the link', async () => {
    await using at = await opened([READ], saving);
    const link = await linked(at.editor.folder);
    track(join(link, '..'));
    await at.editor.say(await at.editor.begin(link), 'Read');
    expect(at.asked).toEqual([at.path]);
  });
});

describe('an editor', () => {
  it('that never answers holds up only the first call, and does not hold a cancel', async () => {
    const never = new Promise<never>(() => {});
    await using at = await opened([READ, call('read_file', { path: 'a.txt' }, '2')], () => ({ read: () => never }));
    const session = await at.editor.begin();
    expect(await at.editor.say(session, 'Read')).toBe('end_turn');
    expect(at.asked).toEqual([at.path]);
    expect(at.answered()).toContain('did not tell its text');
    expect(at.answered()).toContain('two');
  });

  it('that is asked is left when the prompt is cancelled', async () => {
    const asked = Promise.withResolvers<void>();
    const never = new Promise<never>(() => {});
    await using at = await opened([READ], () => ({
      read() {
        asked.resolve();
        return never;
      },
    }));
    const sessionId = await at.editor.begin();
    const prompt = at.editor.say(sessionId, 'Read');
    await asked.promise;
    await at.editor.agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await prompt).toBe('cancelled');
  });

  it('that fails leaves the file on disk', async () => {
    await using at = await opened([READ], () => ({
      read() {
        throw new Error('not open');
      },
    }));
    await at.editor.say(await at.editor.begin(), 'Read');
    expect(at.answered()).toContain('two');
    expect(at.answered()).not.toContain('editor');
  });

  it('is not asked for a secret that the person keeps, nor for a file outside', async () => {
    const script = [
      call('read_file', { path: '.env' }),
      call('read_file', { path: '../o.txt' }, '2'),
      call('read_file', { path: '/etc/passwd' }, '3'),
    ];
    await using at = await opened(script, saving, undefined, 'reject');
    await at.editor.say(await at.editor.begin(), 'Read');
    expect(at.editor.questions).toHaveLength(1);
    expect(at.asked).toEqual([]);
  });
});
