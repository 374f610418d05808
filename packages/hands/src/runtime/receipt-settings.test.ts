import { expect, it } from 'vitest';
import type { PolicyFile } from '../policy/load-policy.ts';
import { readReceiptSettings } from './receipt-settings.ts';

const file = (layer: PolicyFile['layer'], text: string, trusted?: boolean): PolicyFile => ({
  layer,
  label: layer,
  text,
  ...(trusted === undefined ? {} : { trusted }),
});
const on = '{ "receipts": { "notes": true } }';
const off = '{ "receipts": { "notes": false } }';

it.each<[string, PolicyFile[], boolean]>([
  ['nothing', [], false],
  ['a user', [file('user', `// yes\n${on}`)], true],
  ['an administrator over a user', [file('managed', off), file('user', on)], false],
  ['a project that is trusted', [file('project', on, true)], true],
  ['an untrusted project', [file('project', on, false)], false],
])('reads what %s says', (_, files, notes) => {
  expect(readReceiptSettings(files).notes).toBe(notes);
});

it.each(['{ "receipts": true }', '{ "receipts": { "note": true } }', '{ "receipts": { "notes": "yes" } }'])('refuses %s', (text) => {
  expect(() => readReceiptSettings([file('user', text)])).toThrow('"receipts" must be an object');
});
