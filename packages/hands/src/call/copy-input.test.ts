import { expect, it } from 'vitest';
import { fingerprint } from './copy-input.ts';

const shown = {
  path: 'a',
  edits: [
    { old_text: 'x', new_text: 'y' },
    { old_text: 'p', new_text: 'q' },
  ],
  limit: null,
  all: false,
};

it.each<[string, string, Record<string, unknown>]>([
  ['the order of the fields', 'edit', Object.fromEntries(Object.entries(shown).toReversed())],
  ['the order of fields within', 'edit', { ...shown, edits: shown.edits.map((edit) => Object.fromEntries(Object.entries(edit).toReversed())) }],
  ['what is not there', 'edit', { ...shown, more: undefined }],
])('does not depend on %s', (_, tool, given) => {
  expect(fingerprint(tool, given)).toBe(fingerprint('edit', shown));
});

// Each is a call that no person has seen.
it.each<[string, string, Record<string, unknown>]>([
  ['another tool', 'edits', shown],
  ['another text', 'edit', { ...shown, path: 'b' }],
  ['another text deep within', 'edit', { ...shown, edits: [shown.edits[0], { old_text: 'p', new_text: 'r' }] }],
  ['another order', 'edit', { ...shown, edits: shown.edits.toReversed() }],
  ['one less', 'edit', { ...shown, edits: [shown.edits[0]] }],
  ['lists in another shape', 'edit', { ...shown, edits: [shown.edits] }],
  ['a field more', 'edit', { ...shown, more: null }],
  ['a field under another name', 'edit', { ...shown, path: undefined, Path: 'a' }],
  ['another flag', 'edit', { ...shown, all: true }],
  ['a number', 'edit', { ...shown, limit: 0 }],
  ['a text that looks like the value', 'edit', { ...shown, limit: 'null' }],
  ['an object for a list', 'edit', { ...shown, edits: Object.fromEntries(Object.entries(shown.edits)) }],
  ['fields within a text', 'edit', { path: 'a","all":false', edits: shown.edits, limit: null }],
])('tells %s apart', (_, tool, given) => {
  expect(fingerprint(tool, given)).not.toBe(fingerprint('edit', shown));
});
