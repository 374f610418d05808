import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../lsp/find-program.ts';
import { serverFor } from '../lsp/server-table.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'tsconfig.json': '{"compilerOptions":{"strict":true,"noUnusedLocals":true}}',
  'a.ts': "import { b } from './b';\nexport const x: string = b;\n",
  'b.ts': 'export const b = 1;\n',
  'clean.ts': 'export const y = 2;\n',
  'unused.ts': 'export {};\nfunction f(): void {}\n',
};
const WRONG =
  "[1 file checked by TypeScript 7.0.2, that of Synapse: 1 error.]\na.ts:2:14 error 2322 Type 'number' is not assignable to type 'string'.\n";

// The sandbox is what a server runs in; where there is none, it needs the permission that a command needs.
const confined = (await findBubblewrap())?.usable === true;
const options = confined ? { allow: ['write' as const] } : {};

describe('diagnostics by the language server of TypeScript', () => {
  it('tells what is wrong with a file as it is now on disk', async () => {
    await using place = await temporaryHands(FILES, options);
    expect(await place.hands.call('diagnostics', { path: 'a.ts' })).toMatchObject({
      ok: true,
      output: WRONG,
      data: {
        files: [{ path: 'a.ts', status: 'checked' }],
        diagnostics: [{ path: 'a.ts', line: 2, column: 14, severity: 'error', code: '2322' }],
        counts: { error: 1, warning: 0 },
        truncated: false,
      },
      meta: { summary: 'diagnostics(a.ts) → 1 error, 0 warnings' },
    });
    expect(await place.hands.call('diagnostics', { path: 'clean.ts' })).toMatchObject({
      output: '[1 file checked by TypeScript 7.0.2, that of Synapse: nothing found.]',
    });
  });

  it('comes with the answer to an edit, compared with before, once a server runs', async () => {
    await using place = await temporaryHands({ ...FILES, 'c.ts': 'export const c: number = 1;\n' }, { allow: ['write'] });
    const edit = async (old_text: string, new_text: string): Promise<string> => {
      const result = await place.hands.call('edit_file', { path: 'c.ts', edits: [{ old_text, new_text }] });
      return result.ok ? result.output : result.error.message;
    };
    // No server runs, and none is started for it.
    expect(await edit('= 1', '= 2')).not.toContain('Diagnostics');
    await place.hands.call('diagnostics', { path: 'clean.ts' });
    const told: string[] = [];
    for (const [before, after] of [
      ['= 2', '= 3'],
      ['= 3', "= 'x'"],
      ["= 'x'", '= 4'],
    ] as const) {
      told.push(await edit(before, after));
      // A slow machine may not have answered in time; then the next edit knows nothing to compare with.
      await place.hands.call('diagnostics', { path: 'c.ts' });
    }
    expect(told[0]).toMatch(/nothing found|not yet/u);
    expect(told[1]).toMatch(/Worse: c\.ts:1:14 error 2322|not compared|not yet/u);
    expect(told[2]).toMatch(/Better: 1 finding gone from c\.ts|nothing found|not yet/u);
    await using off = await temporaryHands(FILES, { allow: ['write'], editDiagnostics: false });
    await off.hands.call('diagnostics', { path: 'a.ts' });
    const silent = await off.hands.call('edit_file', { path: 'a.ts', edits: [{ old_text: 'string', new_text: 'number' }] });
    expect(silent.ok && silent.output).not.toContain('Diagnostics');
  });

  it.each([
    ['5.9.3', '{ "extends": "./base.json", }', 'Synapse: 1 hint.'],
    ['5.9.3', '{ "extends": ["./base.json", "./strict.json"] }', 'error 7006'],
    ['5.9.3', '{ "compilerOptions": { "types": [] } }', 'error 2591'],
    ['6.0.1', '{ "extends": "./base.json" }', 'error 2591'],
    ['7.0.2', '{}', 'error 2591'],
  ])('has the defaults of the TypeScript that the project has: %s with %s', async (version, config, told) => {
    await using place = await temporaryHands(
      {
        'node_modules/typescript/package.json': JSON.stringify({ name: 'typescript', version }),
        'node_modules/@types/node/package.json': '{ "name": "@types/node", "version": "22.0.0", "types": "index.d.ts" }',
        'node_modules/@types/node/index.d.ts': "declare module 'node:os' {\n  export function eol(): string;\n}\n",
        'packages/one/tsconfig.json': config,
        'packages/one/base.json': '{ "compilerOptions": { "target": "es2022" } }',
        'packages/one/strict.json': '{ "compilerOptions": { "strict": true } }',
        'packages/one/src/a.ts': "import { eol } from 'node:os';\nimport './no.css';\nexport const f = (x) => x + eol();\n",
      },
      options,
    );
    const result = await place.hands.call('diagnostics', { path: 'packages/one/src/a.ts' });
    expect(result.ok && result.output).toContain(told);
  });

  it('tells no path of the machine', async () => {
    await using place = await temporaryHands(
      { ...FILES, 'd.ts': "import 'plain';\nexport * from 'plain';\n", 'node_modules/plain/index.js': 'exports.x = 1;\n' },
      options,
    );
    const result = await place.hands.call('diagnostics', { path: 'd.ts', severity: 'hint' });
    expect(result).toMatchObject({ ok: true, output: expect.stringContaining("'node_modules/plain/index.js' implicitly") });
    expect(JSON.stringify(result)).not.toContain(place.folder);
  });

  it('leaves out changed files that the repository ignores, whatever their folder is called', async () => {
    await using place = await temporaryHands({ ...FILES, '.gitignore': 'out/\n*.log.ts\n' }, { allow: ['write'] });
    git(place.folder, 'init', '-q');
    for (const path of ['out/a.ts', 'x.log.ts', 'coverage/index.ts']) await place.hands.call('write_file', { path, content: 'export {};\n' });
    const result = await place.hands.call('diagnostics', {});
    expect(result.ok && result.data.files.map(({ path }) => path)).toEqual(['coverage/index.ts']);
  });

  it('is never stale: not after an edit, nor a change from outside, a new file, one that is gone, or other settings', async () => {
    await using place = await temporaryHands(FILES, options);
    const check = async (path: string): Promise<string> => {
      const result = await place.hands.call('diagnostics', { path });
      return result.ok ? result.output : result.error.message;
    };
    expect(await check('a.ts')).toBe(WRONG);
    writeFileSync(place.at('b.ts'), "export const b = 'text';\n");
    expect(await check('a.ts')).toContain('nothing found');
    await place.hands.call('write_file', { path: 'a.ts', content: "import { c } from './c';\nexport const x: string = c;\n" });
    expect(await check('a.ts')).toContain('error 2307');
    writeFileSync(place.at('c.ts'), 'export const c = 5;\n');
    expect(await check('a.ts')).toContain('error 2322');
    await place.hands.call('delete_file', { path: 'c.ts' });
    expect(await check('a.ts')).toContain('error 2307');
    expect(await check('unused.ts')).toContain('warning 6133');
    writeFileSync(place.at('tsconfig.json'), '{}');
    expect(await check('unused.ts')).toContain('Synapse: 1 hint.');
  });

  it('checks the files that the session changed, and no others', async () => {
    await using place = await temporaryHands(FILES, options);
    expect(await place.hands.call('diagnostics', {})).toMatchObject({ output: expect.stringContaining('No file was changed') as string });
    const write = (path: string, content: string, sessionId: string) => place.hands.call('write_file', { path, content }, { sessionId });
    await write('one.ts', 'export const one: string = 1;\n', 'one');
    await write('note.md', 'words\n', 'one');
    await write('node_modules/.vite/results.json', '{}\n', 'one');
    await write('gone.ts', 'export const gone: string = 1;\n', 'one');
    await place.hands.call('delete_file', { path: 'gone.ts' }, { sessionId: 'one' });
    await write('two.ts', 'export const two: string = 2;\n', 'two');
    const result = await place.hands.call('diagnostics', {}, { sessionId: 'one' });
    expect(result).toMatchObject({
      data: {
        files: [
          { path: 'note.md', status: 'unavailable' },
          { path: 'one.ts', status: 'checked' },
        ],
        diagnostics: [{ path: 'one.ts' }],
      },
    });
  });

  it('shows as much as is asked for, and says what is left out', async () => {
    const many = Array.from({ length: 30 }, (_, index) => `export const c${index}: string = ${index};\n`).join('');
    await using place = await temporaryHands({ ...FILES, 'many.ts': many, 'tsconfig.json': '{}' }, options);
    const some = await place.hands.call('diagnostics', { path: 'many.ts', limit: 3 });
    expect(some).toMatchObject({
      data: { counts: { error: 30 }, truncated: true },
      output: expect.stringContaining('27 more: raise limit') as string,
    });
    await place.hands.call('write_file', { path: 'more.ts', content: many.repeat(40).replaceAll(/(?<=const )c/gu, () => 'd') });
    expect(await place.hands.call('diagnostics', { path: 'more.ts', limit: 3 })).toMatchObject({
      output: expect.stringContaining('997 more: raise limit. Of more.ts, only the worst 1,000 are counted; there may be more.') as string,
    });
    const hints = await place.hands.call('diagnostics', { path: 'unused.ts', severity: 'hint' });
    expect(hints).toMatchObject({ data: { diagnostics: [{ severity: 'hint', code: '6133' }] } });
    expect(await place.hands.call('diagnostics', { path: 'unused.ts' })).toMatchObject({
      data: { diagnostics: [], counts: { hint: 1 } },
      output: expect.stringContaining('left out') as string,
    });
  });

  it.each([
    ['none.ts', 'not_found'],
    ['../outside.ts', 'outside_workspace'],
    ['secret/a.ts', 'denied'],
    ['folder', 'wrong_type'],
    ['spill:000000000000000000000000', 'invalid_arguments'],
    ['/etc/hostname', 'outside_workspace'],
    ['out.ts', 'outside_workspace'],
  ])('refuses %s', async (path, code) => {
    await using place = await temporaryHands(
      { ...FILES, 'secret/a.ts': 'x', 'folder/a.ts': '' },
      { ...options, policy: { deny: ['read(secret/**)'] } },
    );
    symlinkSync(join(place.outside, 'a.ts'), place.at('out.ts'));
    writeFileSync(join(place.outside, 'a.ts'), 'x');
    expect(await place.hands.call('diagnostics', { path })).toMatchObject({ ok: false, error: { code } });
  });

  it('is clear about a file that no server knows', async () => {
    await using place = await temporaryHands({ 'a.cobol': 'x' }, options);
    expect(await place.hands.call('diagnostics', { path: 'a.cobol' })).toMatchObject({
      ok: true,
      data: { files: [{ status: 'unavailable' }] },
      output: expect.stringContaining('a.cobol was not checked: no language server is known') as string,
    });
  });

  it('shows a name that deceives as it is', async () => {
    await using place = await temporaryHands({ 'tsconfig.json': '{}', 'a\u001b[2J%20#ü.ts': 'export const a: string = 1;\n' }, options);
    expect(await place.hands.call('diagnostics', { path: 'a\u001b[2J%20#ü.ts' })).toMatchObject({
      output: expect.stringMatching(/^a\\x1b\[2J%20#ü\.ts:1:14 error 2322/mu) as string,
    });
  });

  it.skipIf(!confined)('learns nothing of a file that must not be read', async () => {
    const files = {
      ...FILES,
      // No number: now and then the identifier of a call holds the same digits.
      'secret/a.ts': 'export const password = "never-to-be-shown" as const;\n',
      'use.ts': "import { password } from './secret/a';\nexport const p: 'other' = password;\n",
    };
    const answer = async (deny: string[]): Promise<string> => {
      await using place = await temporaryHands(files, { ...options, policy: { deny } });
      const result = await place.hands.call('diagnostics', { path: 'use.ts' });
      expect(result).toMatchObject({ data: { counts: { error: 1 } } });
      return JSON.stringify(result);
    };
    expect(await answer([])).toContain('never-to-be-shown');
    expect(await answer(['read(secret/**)'])).not.toContain('never-to-be-shown');
  });

  it.skipIf(!confined)('asks where nothing would confine the server', async () => {
    await using place = await temporaryHands(FILES, { allow: [], sandbox: 'none' });
    expect(await place.hands.call('diagnostics', { path: 'a.ts' })).toMatchObject({
      error: { code: 'approval_required', hint: expect.stringContaining('bubblewrap') as string },
    });
    await using other = await temporaryHands(FILES, { allow: ['exec'], sandbox: 'none' });
    expect(await other.hands.call('diagnostics', { path: 'a.ts' })).toMatchObject({ output: WRONG });
  });
});

describe('whose program runs', () => {
  const row = serverFor('a.ts')?.row ?? expect.fail();

  /** A repository with its own TypeScript, or what claims to be one. */
  async function withTypescript(version: string) {
    const place = await temporaryHands();
    const real = createRequire(import.meta.url).resolve('typescript/package.json');
    const platform = createRequire(real).resolve(`@typescript/typescript-${process.platform}-${process.arch}/package.json`);
    const at = (path: string): string => join(place.folder, 'node_modules', path);
    mkdirSync(at('typescript'), { recursive: true });
    writeFileSync(at('typescript/package.json'), JSON.stringify({ name: 'typescript', version }));
    const target = at(`@typescript/typescript-${process.platform}-${process.arch}`);
    mkdirSync(join(target, 'lib'), { recursive: true });
    writeFileSync(join(target, 'package.json'), '{}');
    const program = readdirSync(join(dirname(platform), 'lib')).find((name) => /^tsc(?:\.exe)?$/u.test(name)) ?? '';
    writeFileSync(join(target, 'lib', program), '#!/bin/sh\ntouch /tmp/pwned\n', { mode: 0o755 });
    return { place, own: join(target, 'lib', program) };
  }

  it("is the project's own only where a person trusts the folder", async () => {
    const { place, own } = await withTypescript('7.1.0');
    await using _ = place;
    expect(await findProgram(row, { root: place.folder, trusted: true })).toMatchObject({
      argv: [own, '--lsp', '--stdio'],
      origin: "TypeScript 7.1.0, the project's own",
    });
    const other = await findProgram(row, { root: place.folder, trusted: false });
    expect(other?.origin).toBe('TypeScript 7.0.2, that of Synapse');
    expect(other?.argv[0]).not.toContain(place.folder);
  });

  it('is that of Synapse where the project has an older one', async () => {
    const { place } = await withTypescript('5.9.3');
    await using _ = place;
    expect((await findProgram(row, { root: place.folder, trusted: true }))?.origin).toBe('TypeScript 7.0.2, that of Synapse');
  });

  it('is none of the repository, though the PATH names it', async () => {
    await using place = await temporaryHands();
    const bin = place.at('bin');
    mkdirSync(bin);
    cpSync('/bin/true', join(bin, 'gopls'));
    const go = serverFor('a.go')?.row ?? expect.fail();
    expect(await findProgram(go, { root: place.folder, trusted: false, path: bin })).toBeUndefined();
    expect(await findProgram(go, { root: place.folder, trusted: true, path: bin })).toMatchObject({ argv: [join(bin, 'gopls')] });
    symlinkSync(join(bin, 'gopls'), join(place.outside, 'gopls'));
    expect(await findProgram(go, { root: place.folder, trusted: false, path: place.outside })).toBeUndefined();
    expect(await findProgram(go, { root: place.folder, trusted: false, path: '/nonexistent' })).toBeUndefined();
  });

  it('is called so that it finds itself where its sandbox shows no more than its own files', async () => {
    await using place = await temporaryHands();
    const bin = join(place.outside, 'bin');
    const link = (name: string, ...target: string[]): string => {
      const program = join(place.outside, ...target);
      mkdirSync(dirname(program), { recursive: true });
      cpSync('/bin/true', program);
      symlinkSync(program, join(bin, name));
      return program;
    };
    mkdirSync(bin);
    const pyright = link('pyright-langserver', 'lib', 'node_modules', 'pyright', 'langserver.index.js');
    link('rust-analyzer', 'bin', 'rustup');
    const basedpyright = link('basedpyright-langserver', 'venv', 'bin', 'basedpyright-langserver');
    const find = (file: string) => findProgram(serverFor(file)?.row ?? expect.fail(), { root: place.folder, trusted: false, path: bin });
    writeFileSync(join(place.outside, 'venv', 'pyvenv.cfg'), '');
    expect(await find('a.py')).toMatchObject({ argv: [join(bin, 'basedpyright-langserver'), '--stdio'], place: dirname(dirname(basedpyright)) });
    rmSync(join(bin, 'basedpyright-langserver'));
    expect(await find('a.py')).toMatchObject({ argv: [pyright, '--stdio'], place: dirname(pyright) });
    expect(await find('a.rs')).toMatchObject({ argv: [join(bin, 'rust-analyzer')], place: bin });
  });
});
