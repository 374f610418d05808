import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { isTrusted } from './git.ts';

it.each([
  [[], false],
  [['*'], true],
  [['*', ''], false],
  [['', '/nowhere/project'], true],
  [['/nowhere'], false],
  [['/nowhere/project-evil'], false],
  [['/nowhere/*'], true],
  [['/nowhere/proj*'], false],
  [['/nowhere/project/*'], false],
  [['/else', '/nowhere/project', '/other'], true],
])('safe.directory %j trusts /nowhere/project: %s', (values, trusted) => expect(isTrusted('/nowhere/project', values)).toBe(trusted));

it('reads ~ as the home folder', () => expect(isTrusted(`${homedir()}/nowhere`, ['~/nowhere'])).toBe(true));
