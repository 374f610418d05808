import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  openSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A workspace full of traps, with secrets next to it. */
export interface Place extends AsyncDisposable {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  readonly state: string;
  /** Content of every file outside; must never appear in an answer. */
  readonly secret: string;
  readonly at: (path: string) => string;
  /** Returns a hash of everything outside the workspace. */
  readonly outsideHash: () => string;
}

const git = (cwd: string, ...rest: string[]): void => {
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', '-c', 'init.defaultBranch=main', ...rest], { cwd, stdio: 'ignore' });
};

function hashTree(folder: string): string {
  const hash = createHash('sha256');
  const visit = (path: string): void => {
    const stat = lstatSync(path);
    hash.update(`${path} ${stat.mode} ${stat.size}\n`);
    if (stat.isDirectory()) for (const name of readdirSync(path).toSorted()) visit(join(path, name));
    else if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
    else if (stat.isFile()) hash.update(readFileSync(path));
  };
  visit(folder);
  return hash.digest('hex');
}

function links(root: string, outside: string): void {
  const link = (name: string, target: string): void => symlinkSync(target, join(root, name));
  link('lfile', join(outside, 's.txt'));
  link('vfile', join(outside, 'v.txt'));
  link('ldir', outside);
  link('rel', '../outside');
  link('relfile', '../outside/s.txt');
  link('procroot', `/proc/self/root${outside}`);
  link('fd0', '/proc/self/fd/0');
  link('stdin', '/dev/stdin');
  link('zero', '/dev/zero');
  link('cwd', '/proc/self/cwd');
  link('taskroot', `/proc/self/task/1/root${outside}`);
  link('dangling', join(outside, 'missing.txt'));
  link('dangling-dir', join(outside, 'missing/dir'));
  link('in', 'd');
  link('infile', 'd/real.txt');
  link('two', 'ldir');
  link('gitlink', '.git');
  for (let index = 0; index < 45; index += 1) link(`chain${index}`, index === 0 ? 'ok.txt' : `chain${index - 1}`);
  link('loop', 'loop');
}

function specialFiles(root: string, outside: string): void {
  execFileSync('mkfifo', [join(root, 'fifo')]);
  linkSync(join(outside, 'hard-source.txt'), join(root, 'hard.txt'));
  if (process.getuid?.() === 0) {
    try {
      execFileSync('mknod', [join(root, 'zero-device'), 'c', '1', '5'], { stdio: 'ignore' });
    } catch {
      // Containers may not create devices; the row that needs it reports that it was skipped.
    }
  }
  writeFileSync(join(root, 'sparse.bin'), '');
  truncateSync(join(root, 'sparse.bin'), 3 * 1024 ** 3);
  const line = openSync(join(root, 'one-line.txt'), 'w');
  const chunk = Buffer.alloc(10_000_000, 'x');
  for (let count = 0; count < 30; count += 1) writeSync(line, chunk);
  closeSync(line);
  writeFileSync(Buffer.from(`${root}/bad-\xff\xfe`, 'latin1'), 'bytes in my name\n');
  writeFileSync(join(root, 'line\nbreak.txt'), 'newline in my name\n');
  writeFileSync(join(root, '\u001b]0;owned\u0007.txt'), 'escape in my name\n');
  writeFileSync(join(root, 'txt.\u202eexe'), 'reversed\n');
  let deep = join(root, 'deep');
  mkdirSync(deep);
  for (let level = 0; level < 150; level += 1) {
    deep = join(deep, 'n');
    mkdirSync(deep);
  }
  writeFileSync(join(deep, 'bottom.txt'), 'deep\n');
}

/** Folders whose ignore files lead elsewhere. The file in them is named by the list outside, and in `ignored` by a list of its own. */
function ignoreFiles(root: string, outside: string): void {
  writeFileSync(join(outside, 'names.txt'), 'sprout.txt\n');
  for (const name of ['ignored', 'ignore-link', 'ignore-device']) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'sprout.txt'), 'green\n');
  }
  writeFileSync(join(root, 'ignored/.gitignore'), 'sprout.txt\n');
  symlinkSync(join(outside, 'names.txt'), join(root, 'ignore-link/.gitignore'));
  symlinkSync('/dev/zero', join(root, 'ignore-device/.gitignore'));
}

/** Creates the place. `sparse.bin` is a sparse file of 3 GiB. */
export async function buildPlace(): Promise<Place> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-attack-')));
  const [root, outside, state] = ['workspace', 'outside', 'state'].map((name) => join(base, name)) as [string, string, string];
  const secret = `SECRET-${randomBytes(12).toString('hex')}`;
  for (const folder of [root, outside, state, join(base, 'workspace-evil'), join(root, 'd'), join(root, 'many'), join(root, 'sub')])
    mkdirSync(folder);
  for (const name of ['s.txt', 'v.txt']) writeFileSync(join(outside, name), `${secret}\n`);
  // Access through a hard link is a documented limit: the file has a name inside.
  writeFileSync(join(outside, 'hard-source.txt'), 'one file, two names\n');
  writeFileSync(join(base, 'workspace-evil', 's.txt'), `${secret}\n`);
  writeFileSync(join(root, 'ok.txt'), 'fine\n');
  writeFileSync(join(root, 'd', 'real.txt'), 'real\n');
  for (let index = 0; index < 1_500; index += 1) writeFileSync(join(root, 'many', `f${index}.txt`), `needle ${index}\n`);
  git(root, 'init', '-q');
  git(root, 'add', 'ok.txt', 'd');
  git(root, 'commit', '-qm', 'first');
  links(root, outside);
  specialFiles(root, outside);
  ignoreFiles(root, outside);
  const server: Server = createServer().listen(join(root, 'socket'));
  server.unref();
  return {
    base,
    root,
    outside,
    state,
    secret,
    at: (path) => join(root, path),
    outsideHash: () => hashTree(outside) + hashTree(join(base, 'workspace-evil')) + readdirSync(base).toSorted().join(),
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
