import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openHomeFiles } from './home-files.ts';

const FILES = [
  { name: '.gitconfig', content: '[user]\n' },
  { name: '.config/pnpm/rc', content: 'x=1\n' },
];

it('opens files for a private home folder', () => {
  using files = openHomeFiles('/home/ada', FILES, ['/usr', '/home', '/home/ada', '/home/ada/.cargo', '/work']);
  expect(files.map(({ path, descriptor }) => [path, readFileSync(descriptor, 'utf8')])).toEqual([
    ['/home/ada/.gitconfig', '[user]\n'],
    ['/home/ada/.config/pnpm/rc', 'x=1\n'],
  ]);
});

it.each(['/home/ada/.config', '/home/ada/.config/pnpm', '/home/ada/.config/pnpm/rc'])('creates no file in another mount: %s', (place) => {
  using files = openHomeFiles('/home/ada', FILES, ['/home/ada', place]);
  expect(files.map(({ path }) => path)).toEqual(['/home/ada/.gitconfig']);
});

it('opens none without a private home folder', () => {
  using files = openHomeFiles(undefined, FILES, []);
  expect([...files]).toEqual([]);
});
