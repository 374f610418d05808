import { link, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`many/f${index}.ts`, `line ${index}\nother words\n`])),
  'a.ts': 'a needle\nno\nneedles needle\r\nlast needle',
  'sub/deep/b.ts': 'one\na needle\ntwo\nthree\n',
  'sub/x.ts': 'needle\n',
  'sub/größe.txt': 'größe und needle\nGRÖSSE UND NEEDLE\n',
  'sub/ignored.log': 'needle\n',
  'sub/.gitignore': '*.log\n!.shown\n',
  'sub/.shown/a.ts': 'needle shown\n',
  '.gitignore': 'dist/\n',
  '.hidden/a.ts': 'needle\n',
  '.hidden/.deep/b.ts': 'a needle\n',
  'dist/a.ts': 'needle\n',
  'binary.ts': Buffer.from('a needle\nrest\0needle\n'),
  'wide.ts': Buffer.from('\uFEFFa needle\n', 'utf16le'),
  'marked.ts': '\uFEFFneedle\n',
  'odd.ts': Buffer.from([0xff, 0x20, ...Buffer.from('needle \u{1F600}'), 0xc3, 0x0a]),
  'long.ts': `${'y'.repeat(70_000)} needle ${'y'.repeat(70_000)}\n`,
  'large.ts': `${'some words\n'.repeat(5_000)}a needle\n`,
  'kelvin.txt': 'nee\u212Aed ma\u017F\u017Fe KELVIN sisters\n',
  'nested/.git/HEAD': 'ref: refs/heads/main\n',
  'nested/dist/a.ts': 'needle\n',
  '[odd]*name\\ {x}!.ts': 'needle\n',
  'line\nend.ts': 'needle\n',
  'blank ': 'needle\n',
  '#sharp': 'needle\n',
  '!not': 'needle\n',
  'empty.ts': '',
  'huge.ts': 'a needle\n',
};

/** Writes files that a search may treat in a special way. For tests. */
export async function writeOddTree(folder: string): Promise<void> {
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  await writeFile(Buffer.concat([Buffer.from(`${folder}/bytes-`), Buffer.from([0xff, 0xfe])]), 'needle\n');
  // Too large for the index. ripgrep reads up to the first NUL.
  await truncate(join(folder, 'huge.ts'), 70 * 1024 * 1024);
  await link(join(folder, 'a.ts'), join(folder, 'linked.ts'));
  await symlink(folder, join(folder, 'away'));
  await symlink('a.ts', join(folder, 'alias.ts'));
}
