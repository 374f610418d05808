import { expect, it } from 'vitest';
import type { PolicyFile } from '../policy/load-policy.ts';
import { readToolSettings } from './tool-settings.ts';

const file = (layer: PolicyFile['layer'], text: string, trusted?: boolean): PolicyFile => ({
  layer,
  label: layer,
  text,
  ...(trusted === undefined ? {} : { trusted }),
});
const on = '{ "tools": { "line_writers": true } }';
const off = '{ "tools": { "line_writers": false } }';

it.each<[string, PolicyFile[], string[]]>([
  ['nothing', [], []],
  ['a user who says nothing of it', [file('user', '{ "permissions": {} }')], []],
  ['a user', [file('user', on)], ['line_writers']],
  ['a user of both', [file('user', '{ "tools": { "line_writers": true, "branch_conflicts": true } }')], ['branch_conflicts', 'line_writers']],
  ['an administrator over a user', [file('managed', off), file('user', on)], []],
  ['a user over a project', [file('user', off), file('project', on, true)], []],
  ['a project that is trusted', [file('project', on, true)], ['line_writers']],
  ['an untrusted project', [file('project', on, false)], []],
])('reads what %s says', (_, files, tools) => {
  expect([...readToolSettings(files)]).toEqual(tools);
});

it.each(['{ "tools": true }', '{ "tools": { "line_writer": true } }', '{ "tools": { "line_writers": "yes" } }'])('refuses %s', (text) => {
  expect(() => readToolSettings([file('user', text)])).toThrow('"tools" must be an object');
});
