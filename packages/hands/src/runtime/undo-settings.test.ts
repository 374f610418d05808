import { expect, it } from 'vitest';
import type { PolicyFile } from '../policy/load-policy.ts';
import { readUndoSettings } from './undo-settings.ts';

const file = (layer: PolicyFile['layer'], text: string, trusted?: boolean): PolicyFile => ({
  layer,
  label: layer,
  text,
  ...(trusted === undefined ? {} : { trusted }),
});
const on = '{ "undo": { "commands": true } }';
const off = '{ "undo": { "commands": false } }';

it.each<[string, PolicyFile[], boolean | undefined]>([
  ['nothing', [], undefined],
  ['a user who says nothing of it', [file('user', '{ "permissions": {} }')], undefined],
  ['an empty file', [file('user', '')], undefined],
  ['a user', [file('user', `// yes\n${on}`)], true],
  ['an administrator over a user', [file('managed', off), file('user', on)], false],
  ['a user over a project', [file('user', off), file('project', on, true)], false],
  ['a project that is trusted', [file('project', on, true)], true],
  ['an untrusted project', [file('project', on, false)], undefined],
])('reads what %s says', (_, files, commands) => {
  expect(readUndoSettings(files).commands).toBe(commands);
});

it.each(['{ "undo": true }', '{ "undo": { "comands": true } }', '{ "undo": { "commands": "yes" } }'])('refuses %s', (text) => {
  expect(() => readUndoSettings([file('user', text)])).toThrow('"undo" must be an object');
});
