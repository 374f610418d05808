import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callUntyped } from '../testing/call-untyped.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'p/d.js': 'log\n',
  'dup.js': 'log\n',
  'src/Controller.ts': 'class Controller {}\n',
  'server/a.ts': 'x\n',
  'docs/guide.md': 'guide\n',
  'docs/cafe\u0301.md': 'coffee\n',
};

describe('a path that is not there', () => {
  let place: TemporaryHands;
  beforeAll(async () => {
    place = await temporaryHands(FILES);
  });
  afterAll(() => place[Symbol.asyncDispose]());

  it.each([
    ['list_directory', { path: 'sever' }, 'so this is server.'],
    ['read_file', { path: 'src/Controler.ts' }, 'so this is src/Controller.ts'],
    ['read_file', { path: 'src/controller.js' }, 'so this is src/Controller.ts'],
    ['read_file', { path: 'docs/caf\u00e9.md' }, 'so this is docs/cafe\u0301.md, which writes its letters in another form of Unicode.'],
  ])('%s %j is read as the one that a typo made of it', async (tool, input, says) => {
    expect(await callUntyped(place.hands, tool, input)).toMatchObject({ ok: true, output: expect.stringContaining(says) as string });
  });

  it.each([
    // The name has another one in it, which says nothing about it.
    ['search_text', { pattern: 'log', path: 'nope' }, 'Did you mean p?'],
    ['list_directory', { path: 'docsite' }, 'Did you mean docs?'],
    ['read_file', { path: 'src/UserController.ts' }, 'Did you mean src/Controller.ts?'],
    ['file_info', { path: 'servers-old' }, 'Did you mean server?'],
    // Of a list, no part is left out.
    ['search_text', { pattern: 'log', path: 'dup.js,p/d.js' }, 'Did you mean dup.js or p/d.js?'],
    ['search_text', { pattern: 'log', path: 'dup.js p/d.js' }, 'Did you mean dup.js or p/d.js?'],
    ['read_file', { path: 'docs/guide.md, src/Controller.ts' }, 'Did you mean docs/guide.md or src/Controller.ts?'],
    ['list_directory', { path: 'src|docs' }, 'Did you mean src or docs?'],
  ])('%s %j is refused with what there is', async (tool, input, says) => {
    expect(await callUntyped(place.hands, tool, input)).toMatchObject({
      ok: false,
      error: { code: 'not_found', hint: expect.stringContaining(says) as string },
    });
  });

  it.each([
    ['write_file', { path: 'file:///srv/app/new.ts', content: 'x' }],
    ['write_file', { path: '$HOME/new.ts', content: 'x' }],
    ['write_file', { path: '${workspaceFolder}/new.ts', content: 'x' }],
    ['write_file', { path: '"new.ts"', content: 'x' }],
    ['write_file', { path: ' new.ts', content: 'x' }],
    ['write_file', { path: 'dup.js:1', content: 'x' }],
    ['create_directory', { path: 'C:/proj/new' }],
    ['move_path', { from: 'dup.js', to: '%TEMP%/dup.js' }],
    ['apply_patch', { patch: '*** Begin Patch\n*** Add File: $PWD/new.ts\n+x\n*** End Patch' }],
  ])('%s %j creates nothing in a place that was not meant', async (tool, input) => {
    const before = readdirSync(place.folder).toSorted();
    expect(await callUntyped(place.hands, tool, input)).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    expect(readdirSync(place.folder).toSorted()).toEqual(before);
  });
});
