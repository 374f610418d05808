import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRoot } from '../workspace/open-root.ts';
import { KeptTexts, keptText } from './kept-texts.ts';

/** A text after which the size of all is looked at. */
function dueText(): string {
  for (let at = 0; ; at += 1) if (hash('sha256', `text ${at}`).startsWith('00')) return `text ${at}`;
}

it('bounds what many short processes keep, each with its own count', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-texts-')));
  const [root, state] = [join(base, 'root'), join(base, 'state')];
  mkdirSync(root);
  using confinement = openRoot(root, state).confinement;
  const keep = (text: string): void => {
    writeFileSync(join(root, 'a.txt'), text);
    using texts = new KeptTexts(state, confinement);
    texts.keep(['a.txt']);
  };
  keep('first');
  const [id = ''] = readdirSync(join(state, 'trees'));
  const folder = join(state, 'trees', id, 'texts');
  expect(statSync(join(folder, hash('sha256', 'first'))).mode & 0o777).toBe(0o600);
  // Files with holes: they have a size, and take no room.
  for (let at = 0; at < 40; at += 1) {
    writeFileSync(join(folder, `old-${at}`), '');
    truncateSync(join(folder, `old-${at}`), 4 * 1024 * 1024);
    utimesSync(join(folder, `old-${at}`), at, at);
  }
  const due = dueText();
  keep(due);
  expect(readdirSync(folder).length).toBeLessThan(20);
  expect([keptText(state, root, hash('sha256', due)), keptText(state, root, hash('sha256', 'first'))]).toEqual([due, 'first']);
});

it('keeps the files of a folder, and follows no link out of the workspace', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-texts-')));
  const [root, state] = [join(base, 'root'), join(base, 'state')];
  mkdirSync(join(root, 'made', 'dépôt'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(root, 'made', 'dépôt', 'ä.txt'), 'below');
  writeFileSync(join(base, 'outside', 'secret'), 'secret');
  symlinkSync(join(base, 'outside'), join(root, 'made', 'link'));
  symlinkSync(join(base, 'outside', 'secret'), join(root, 'made', 'file'));
  using confinement = openRoot(root, state).confinement;
  {
    using texts = new KeptTexts(state, confinement);
    texts.keep(['made', 'made/link/secret', 'made/link', 'made/file', 'gone']);
  }
  const kept = (text: string): string | undefined => keptText(state, root, hash('sha256', text));
  expect([kept('below'), kept('secret')]).toEqual(['below', undefined]);
});
