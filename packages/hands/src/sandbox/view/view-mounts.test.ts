import { describe, expect, it } from 'vitest';
import type { Mount } from '../bubblewrap-arguments.ts';
import { follow, type Tree } from './tree.ts';
import { viewMounts, type ViewFacts } from './view-mounts.ts';
import { socketMasks } from './command-view.ts';

/** A file system of these paths: a text beginning with `->` is a link, what ends with `/` a folder. */
function treeOf(paths: readonly string[]): Tree {
  const entries = new Map<string, ReturnType<Tree['look']>>();
  for (const line of paths) {
    const [path = '', target] = line.split(' -> ');
    const names = path.split('/').filter(Boolean);
    for (const index of names.keys()) entries.set(`/${names.slice(0, index).join('/')}`, { kind: 'folder' });
    entries.set(`/${names.join('/')}`, target === undefined ? { kind: path.endsWith('/') ? 'folder' : 'file' } : { kind: 'link', target });
  }
  return {
    look: (path) => entries.get(path),
    names: (path) =>
      [...entries.keys()]
        .filter((key) => key.startsWith(`${path}/`) && !key.slice(path.length + 1).includes('/'))
        .map((key) => key.slice(path.length + 1)),
    canRead: (path) => !path.includes('closed'),
  };
}

const SYSTEM = ['/usr/bin/node', '/bin -> usr/bin', '/opt/', '/etc/passwd', '/etc/shadow', '/etc/ssl/certs/', '/etc/ssl/private/', '/home/u/w/'];

function view(paths: readonly string[], facts: Partial<ViewFacts> = {}): Mount[] {
  return viewMounts({
    home: '/home/u',
    variables: { PATH: '/usr/bin' },
    root: '/home/u/w',
    rootNames: ['/home/u/w'],
    tools: ['.nvm', '.local/bin'],
    readable: [],
    hidden: ['/home/u/.local/state/synapse'],
    network: 'own',
    ...facts,
    tree: treeOf([...SYSTEM, ...paths]),
  });
}

const shown = (mounts: readonly Mount[], kind: Mount['kind'] = 'read-only'): string[] =>
  mounts.filter((mount) => mount.kind === kind).map(({ path }) => path);
const BASE = ['/etc/passwd', '/etc/ssl/certs', '/opt', '/usr'];

describe('what a command sees', () => {
  it('is programs, some of /etc and empty places of its own', () => {
    expect(view([])).toEqual([
      { kind: 'link', path: '/bin', target: 'usr/bin' },
      { kind: 'read-only', path: '/etc/passwd', optional: true },
      { kind: 'read-only', path: '/etc/ssl/certs', optional: true },
      { kind: 'private', path: '/home/u' },
      { kind: 'read-only', path: '/opt', optional: true },
      { kind: 'private', path: '/run', bytes: 1_048_576 },
      { kind: 'private', path: '/tmp' },
      { kind: 'read-only', path: '/usr', optional: true },
      { kind: 'link', path: '/var/tmp', target: '../tmp' },
    ]);
  });

  it.each<readonly [string, readonly string[], Partial<ViewFacts>, readonly string[]]>([
    ['a known tool chain', ['/home/u/.nvm/versions/node/v1/bin/node'], {}, ['/home/u/.nvm']],
    ['an installation that PATH names', ['/srv/node/bin/node', '/srv/node/lib/x'], { variables: { PATH: '/srv/node/bin' } }, ['/srv/node']],
    ['programs without an installation', ['/home/u/bin/x', '/home/u/.ssh/id'], { variables: { PATH: '/home/u/bin' } }, ['/home/u/bin']],
    ['a repository with programs', ['/srv/r/bin/x', '/srv/r/lib/', '/srv/r/.git/'], { variables: { PATH: '/srv/r/bin' } }, ['/srv/r/bin']],
    [
      'installed modules',
      ['/srv/p/node_modules/.bin/x', '/srv/p/.env'],
      { variables: { PATH: '/srv/p/node_modules/.bin' } },
      ['/srv/p/node_modules'],
    ],
    ['an environment at the top', ['/venv/bin/python', '/venv/lib/', '/venv/pyvenv.cfg'], { variables: { PATH: '/venv/bin' } }, ['/venv']],
    ['no folder at the top', ['/data/bin/x', '/data/lib/'], { variables: { PATH: '/data/bin:/data' } }, ['/data/bin']],
    ['nothing of Windows', ['/mnt/c/Windows/x.exe'], { variables: { PATH: '/mnt/c/Windows' } }, []],
    ['no home folder of another', ['/home/v/bin/x'], { variables: { PATH: '/home/v' } }, []],
    ['no relative entry', ['/home/u/w/bin/x'], { variables: { PATH: 'bin::.' } }, []],
    ['nothing above the workspace', ['/home/u/bin/x', '/home/u/lib/'], { variables: { PATH: '/home/u/bin:/home/u' } }, ['/home/u/bin']],
    ['what is closed to the user', ['/srv/closed/x'], { variables: { PATH: '/srv/closed' } }, []],
    [
      'the program behind a link',
      ['/home/u/.local/bin/t -> ../share/t/t1', '/home/u/.local/share/t/t1'],
      { variables: { PATH: '/home/u/.local/bin' } },
      ['/home/u/.local/bin', '/home/u/.local/share/t/t1'],
    ],
    [
      'the installation behind a link',
      ['/home/u/bin/t -> /srv/t/bin/t', '/srv/t/bin/t', '/srv/t/lib/'],
      { variables: { PATH: '/home/u/bin' } },
      ['/home/u/bin', '/srv/t'],
    ],
    ['a variable of a tool chain', ['/srv/jdk/lib/'], { variables: { JAVA_HOME: '/srv/jdk' } }, ['/srv/jdk']],
    ['no variable that names the home folder', [], { variables: { JAVA_HOME: '/home/u' } }, []],
    ['modules in the folders above', ['/srv/m/node_modules/', '/srv/m/p/w/'], { root: '/srv/m/p/w', rootNames: [] }, ['/srv/m/node_modules']],
    ['what a person shows', ['/srv/data/x'], { readable: ['/srv/data'] }, ['/srv/data']],
    ['not all that a person shows to file tools', [], { readable: ['/', '/home/u', '/home', '/etc'] }, []],
  ])('%s', (_, paths, facts, expected) => {
    expect(shown(view(paths, facts))).toEqual([...BASE, ...expected].toSorted());
  });

  it('keeps /var/tmp where the workspace is in it', () => {
    expect(shown(view(['/var/tmp/w/'], { root: '/var/tmp/w', rootNames: [] }), 'private')).toContain('/var/tmp');
  });

  it('shows caches of package managers, and not what is beside them', () => {
    const paths = [
      '.npm/_cacache/',
      '.npmrc',
      '.cargo/registry/',
      '.cargo/credentials.toml',
      '.m2/repository/',
      '.m2/settings.xml',
      '.gradle/caches/',
    ];
    const mounts = view([...paths.map((path) => `/home/u/${path}`), '/c/pip/http/']);
    expect(shown(mounts, 'cache')).toEqual(['.cargo/registry', '.gradle/caches', '.m2/repository', '.npm/_cacache'].map((path) => `/home/u/${path}`));
    expect(shown(view(['/c/pip/http/'], { variables: { XDG_CACHE_HOME: '/c' } }), 'cache')).toEqual(['/c/pip']);
  });

  it('makes the links again that lead to what it shows', () => {
    const paths = ['/home -> var/home', '/var/home/u/.nvm/', '/var/home/u/w/', '/etc/localtime -> ../usr/share/zone', '/usr/share/zone'];
    const tree = treeOf([...SYSTEM.filter((path) => !path.startsWith('/home')), ...paths]);
    const facts = { home: '/home/u', variables: {}, root: '/var/home/u/w', rootNames: ['/home/u/w'], tools: ['.nvm'] };
    const mounts = viewMounts({ ...facts, readable: [], hidden: [], network: 'own', tree });
    expect(mounts.filter(({ kind }) => kind === 'link')).toEqual([
      { kind: 'link', path: '/bin', target: 'usr/bin' },
      { kind: 'link', path: '/etc/localtime', target: '../usr/share/zone' },
      { kind: 'link', path: '/home', target: 'var/home' },
      { kind: 'link', path: '/var/tmp', target: '../tmp' },
    ]);
    expect(shown(mounts)).toContain('/var/home/u/.nvm');
  });

  it('hides in what it shows the folders of Synapse, secrets of the system, and sockets', () => {
    const hidden = ['/srv/data/state'];
    const paths = ['/opt/s/', '/srv/data/state/', '/srv/data/s.sock', '/var/spool/x/'];
    const mounts = view(paths, { readable: ['/srv/data', '/opt'], hidden: ['/opt/s'] });
    expect(socketMasks(mounts, ['/srv/data/s.sock', '/run/other.sock', '/opt/s/x.sock', 'relative'])).toEqual([
      { kind: 'masked-file', path: '/srv/data/s.sock' },
    ]);
    expect(shown(mounts, 'masked-folder')).toEqual(['/opt/s']);
    expect(shown(view(paths, { readable: ['/var/spool'] }), 'masked-folder')).toEqual([]);
    expect(shown(view(paths, { readable: ['/srv/data/state', '/srv/data'], hidden }))).toEqual(BASE);
  });

  it('shows how names are resolved only where there is a network', () => {
    const paths = ['/etc/resolv.conf -> ../run/resolve/stub', '/run/resolve/stub'];
    expect(shown(view(paths))).toEqual(BASE);
    expect(shown(view(paths, { network: 'host' }))).toEqual([...BASE, '/run/resolve/stub'].toSorted());
  });
});

describe('a path', () => {
  it.each([
    ['/a/b', ['/a/b'], '/a/b', []],
    ['/a/l/x', ['/a/l -> ../c', '/c/x'], '/c/x', ['/a/l']],
    ['/l', ['/l -> /m', '/m -> n/', '/n/'], '/n', ['/l', '/m']],
    ['/l', ['/l -> l'], undefined, []],
    ['/a/none', ['/a/'], undefined, []],
  ])('%s', (path, paths, real, links) => {
    const found = follow(treeOf(paths), path);
    expect(found?.real).toBe(real);
    if (found !== undefined) expect([...found.links.keys()]).toEqual(links);
  });
});
