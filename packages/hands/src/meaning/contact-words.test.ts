import { describe, expect, it } from 'vitest';
import { fetchWords } from './fetch-words.ts';
import { pushWords } from './push-words.ts';

const repositoryOf = (command: string): string | undefined => {
  const [subcommand = '', ...words] = command.split(' ');
  const known = words.map((word) => (word === '$X' ? undefined : word));
  const read = subcommand === 'push' ? pushWords(known) : fetchWords(subcommand, known);
  return read === undefined ? 'not certain' : read.repository;
};

describe('says where a command goes only if each word is known', () => {
  it.each([
    'push $X',
    'push origin $X',
    'push origin main $X',
    'push -o=x origin',
    'push --receive-pack x origin',
    'push --exec x origin',
    'fetch $X',
    'fetch origin $X',
    'fetch --upload-pack x origin',
    'fetch --upload-pa x origin',
    'fetch --multiple a b',
    'fetch -m a b',
    'fetch -s x origin',
    'fetch --set-upstream origin',
    'fetch --depth',
    'fetch --prefetch origin',
    'pull --upload-pack x origin',
    'pull --refmap x origin',
    'pull -o=x origin',
    'ls-remote --upload-pack x origin',
    'ls-remote -s x origin',
    'ls-remote --get-url origin',
    'clone -s https://a/b https://c/d',
    'clone --template x https://c/d',
    'clone --separate-git-dir x https://c/d',
    'clone -c a=b https://c/d',
    'clone -ca=b https://c/d',
    'clone -u x https://c/d',
    'clone -qu x https://c/d',
    'clone --reference x https://c/d',
    'clone --bundle-uri x https://c/d',
    'clone --recurse-submodules https://c/d',
    'clone --deepth 1 https://c/d',
    'clone https://c/d $X',
    'clone',
    'remote update',
  ])('git %s', (command) => expect(repositoryOf(command)).toBe('not certain'));

  it.each([
    ['push -fu origin main', 'origin'],
    ['push -o x origin', 'origin'],
    ['push --push-option=x origin', 'origin'],
    ['push -- origin', 'origin'],
    ['push', undefined],
    ['fetch -qp --depth=1 origin', 'origin'],
    ['fetch -j 4 --filter blob:none origin main', 'origin'],
    ['pull --rebase origin main', 'origin'],
    ['pull --rebase=merges origin main', 'origin'],
    ['pull -s ours origin', 'origin'],
    ['ls-remote --heads --sort x origin', 'origin'],
    ['clone -q -b main --depth 1 -- https://c/d e', 'https://c/d'],
  ])('git %s goes to %s', (command, repository) => expect(repositoryOf(command)).toBe(repository));
});
