import { describe, expect, it } from 'vitest';
import { SandboxBench } from '../testing/sandbox-bench.ts';
import { explainFailure, type FailureFacts } from './explain-failure.ts';
import { findBubblewrap } from './find-bubblewrap.ts';

/** Names that no machine has: so the explanation does not depend on the machine. */
const [seen, unseen, home, root] = ['/opt/seen', '/srv/unseen', '/home/ada', '/home/ada/code/w'];

const explain = (facts: Partial<FailureFacts>): string[] =>
  explainFailure({
    argv: ['/bin/sh', '-c', 'x'],
    said: '',
    failed: true,
    network: 'off',
    refused: 0,
    home,
    root,
    cwd: root,
    masked: [{ path: `${root}/node_modules/p/.env` }],
    isShown: (path) => path.startsWith(seen),
    canShow: (path) => path !== home && path !== '/srv' && path !== '/opt',
    ...facts,
  });
const inShell = (command: string): Pick<FailureFacts, 'argv'> => ({ argv: ['/bin/sh', '-c', command] });
const missing = (path: string): Partial<FailureFacts> => ({ ...inShell(`cat ${path}`), said: `cat: ${path}: No such file or directory` });

describe('a command that failed without namespaces', () => {
  const [sockets, byName] = [/no sockets here.*--network on opens them, and no other choice/u, /a person opens all of it with --network on/u];

  it.each<readonly [string, Partial<FailureFacts>, RegExp | undefined]>([
    ['its own address', { said: "curl: (7) Failed to connect to localhost port 3000: Couldn't connect to server" }, sockets],
    ['its own address, silently', inShell('curl -s http://localhost:3000/health'), sockets],
    ['a socket', { said: 'Error: listen EAFNOSUPPORT: address family not supported 0.0.0.0:3123' }, sockets],
    ['another machine', { said: 'curl: (6) Could not resolve host: example.com' }, byName],
    ['a file in /tmp', { said: 'bash: line 1: /tmp/out.txt: Permission denied' }, /\/tmp is closed .*\$TMPDIR/u],
    ['a file in /tmp, as Node says it', { said: "Error: EACCES: permission denied, open '/tmp/out.txt'" }, /\$TMPDIR/u],
    ['a missing file in /tmp', missing('/tmp/out.txt'), /\$TMPDIR/u],
    ['a file elsewhere that is closed', { said: 'bash: line 1: /opt/seen/x: Permission denied' }, undefined],
  ])('tells about %s', (_, facts, expected) => {
    const hints = explain({ hasNamespaces: false, ...facts });
    expect(hints).toEqual(expected === undefined ? [] : [expect.stringMatching(expected)]);
    // The control: with namespaces, none of this is said.
    expect(explain(facts).join()).not.toMatch(/no other choice|opens all of it|TMPDIR/u);
  });
});

describe('a command that failed', () => {
  it.each<readonly [string, Partial<FailureFacts>, RegExp | undefined]>([
    ['a file outside', missing(`${unseen}/f`), new RegExp(`do not see ${unseen}/f: .*a person shows its folder with --readable$`, 'u')],
    ['a folder at the top', missing(unseen), new RegExp(`do not see ${unseen}: .*--readable if it is a folder`, 'u')],
    ['one that Node names', { said: `Error: ENOENT: no such file or directory, open '${unseen}/f'` }, /--readable/u],
    ['a file of another group', { said: 'bash: line 1: a: Value too large for defined data type' }, /another user or group.*"live": true$/u],
    ['a file of another group, as Node says it', { said: 'Error: EOVERFLOW: value too large for defined data type, open' }, /"live": true$/u],
    ['a folder that git renames', { said: "fatal: renaming 'd' failed: Invalid cross-device link" }, /move_path renames it.*"live": true/u],
    ['a folder that Node renames', { said: "Error: EXDEV: cross-device link not permitted, rename 'd' -> 'e'" }, /move_path/u],
    ['a file that goes to another file system', { said: "OSError: [Errno 18] Invalid cross-device link: '/tmp/x' -> 'x'" }, undefined],
    [
      'a hook, written live',
      { said: '/bin/bash: line 1: .git/hooks/pre-commit: Read-only file system' },
      /^a live command cannot change what git runs/u,
    ],
    [
      'a repository elsewhere',
      { said: "fatal: Unable to create '/srv/r/.git/index.lock': Read-only file system" },
      /^the repository of this worktree/u,
    ],
    ['one that is only mentioned', { said: `read ${unseen}/f` }, undefined],
    ['one that is named and not missed', inShell(`cat ${unseen}/f`), undefined],
    ['one in what is seen', missing(`${seen}/f`), undefined],
    ['what is no place of a machine', { said: 'GET /api/users: not found' }, undefined],
    [
      'what is hidden, and in the way',
      { said: "rm: cannot remove 'node_modules/p/.env': Device or resource busy" },
      /^node_modules\/p\/\.env is hidden from commands.*read\(/u,
    ],
    [
      'what is hidden, and in a folder that is to move',
      { said: "mv: cannot move 'node_modules' to 'other': Device or resource busy" },
      /^node_modules\/p\/\.env is hidden from commands, so they cannot move .*move_path/u,
    ],
    [
      'what is hidden, moved from beside it, on a copy',
      { said: "mv: cannot access 'p/.env': Permission denied" },
      /^node_modules\/p\/\.env is hidden from commands, so they cannot move .*move_path/u,
    ],
    ['what is busy for another reason', { said: "rm: cannot remove 'other': Device or resource busy" }, undefined],
    [
      'what is hidden, and opened',
      { said: 'cat: node_modules/p/.env: Permission denied' },
      /^node_modules\/p\/\.env is hidden from commands: .*read\(/u,
    ],
    ['a name with escapes', missing('/srv/\u001b[31mx'), undefined],
    [
      'the repository of a worktree',
      { said: "fatal: Unable to create '/home/ada/main/.git/worktrees/w/index.lock': Read-only file system" },
      /^the repository of this worktree is outside/u,
    ],
    [
      'a ref of it',
      { said: "fatal: cannot lock ref 'refs/heads/x': Unable to create '/home/ada/main/.git/refs/heads/x.lock': Read-only file system" },
      /^the repository of this worktree is outside/u,
    ],
    ['a repository in the workspace', { said: 'bash: line 1: nested/.git/config: Read-only file system' }, undefined],
    ['a bare one in the workspace', { said: "cp: cannot create regular file 'bare/r.git/config': Read-only file system" }, undefined],
    ['a stash of it', { ...inShell('git stash'), worktreeOf: '/home/ada/main' }, /opens \/home\/ada\/main as the workspace/u],
    [
      'a stash of the repository above',
      { ...inShell('git stash'), repository: '/home/ada/code' },
      /^the repository above the workspace can only be read/u,
    ],
    [
      'the repository of a submodule',
      { said: `fatal: not a git repository: ${root}/../../.git/modules/libs/w` },
      /outside the workspace, in \/home\/ada\/\.git\/modules\/libs\/w, .*git_status.* a person opens \/home\/ada as the workspace$/u,
    ],
    [
      'a repository at another place',
      { said: 'fatal: not a git repository: /srv/data.git' },
      /a person opens a folder that has both as the workspace$/u,
    ],
    ['a repository that is missing in the workspace', { said: `fatal: not a git repository: ${root}/sub/../.git/modules/sub` }, undefined],
    ['a silent failure of another program', { ...inShell('git diff --quiet'), worktreeOf: '/home/ada/main' }, undefined],
    ['another place that is read-only', { said: "touch: cannot touch '/usr/x': Read-only file system" }, undefined],
    ['another mount', { said: "rm: cannot remove 'node_modules/q': Device or resource busy" }, undefined],
    ['one in the workspace', missing(`${root}/x`), undefined],
    ['one above the workspace', missing('/home/ada/code'), undefined],
    ['a file beside all of the home folder', missing(`${home}/n.txt`), /copies it into the workspace/u],
    ['a file below the home folder', missing(`${home}/notes/n`), /shows its folder/u],
    ['what a program keeps for itself', missing(`${home}/.aws/credentials`), undefined],
    ['a file of an earlier command', missing('/tmp/earlier-x'), /empty \/tmp/u],
    ['a far address that it says nothing about', inShell('curl -s https://example.com'), /no network here/u],
    ['a crate that is not in the cache', { said: 'error: the crate `serde` could not be found in registry index.' }, /no network here/u],
    ['one to install', { said: 'error: could not find `ripgrep` in registry `crates-io` with version `*`' }, /no network here/u],
    ['one whose lookup was refused', { said: 'a test failed', refused: 4 }, /no network here/u],
    ['one that went on after it', { ...inShell('curl -s https://example.com || true'), refused: 4, failed: false }, /no network here/u],
    [
      'its own address where nothing listens',
      { ...inShell('curl 127.0.0.1:39999'), said: "curl: (7) Failed to connect to 127.0.0.1 port 39999 after 0 ms: Couldn't connect to server" },
      /^nothing listens on 127\.0\.0\.1:39999: .*wait_port.*--network 127\.0\.0\.1:39999$/u,
    ],
    [
      'its own address by name, as Node says it',
      { said: 'Error: connect ECONNREFUSED ::1:5432' },
      /^nothing listens on ::1:5432.*--network localhost:PORT$/u,
    ],
    ['its own address, silently', inShell('curl -s http://localhost:3000/health'), /^nothing listens on localhost:3000/u],
    [
      'its own address, and another one',
      { said: 'connect ECONNREFUSED 127.0.0.1:80\ncurl: (6) Could not resolve host: a.example' },
      /no network here/u,
    ],
    ['one that only looks itself up', { refused: 4, failed: false }, undefined],
    ['one that may reach all hosts', { refused: 4, network: 'on' }, undefined],
    ['an address of this machine', inShell('curl -s http://127.0.0.1:3000'), /^nothing listens on 127\.0\.0\.1:3000/u],
    ['nothing about a far address where it is said', { ...inShell('curl -s https://example.com'), said: 'syntax error' }, undefined],
    ['one that it names from its folder', missing('../other/f'), /do not see \/home\/ada\/code\/other\/f: /u],
    ['one that it names from a deeper folder', { ...missing('../../other/f'), cwd: `${root}/src` }, /do not see \/home\/ada\/code\/other\/f: /u],
    [
      'one beside a workspace in a folder of its own',
      { ...missing('../other/f'), home: '/root', root: '/build/w', cwd: '/build/w' },
      /\/build\/other\/f/u,
    ],
    ['one that a program of a pipeline missed', { ...missing(`${unseen}/f`), failed: false }, /do not see/u],
    ['nothing where it succeeded', { said: `a test: ${unseen}/f: No such file or directory`, failed: false }, undefined],
  ])('%s', (_, facts, expected) => {
    const hints = explain(facts);
    if (expected === undefined) expect(hints).toEqual([]);
    else expect(hints).toEqual([expect.stringMatching(expected) as string]);
  });

  it.each([
    'curl: (6) Could not resolve host: example.com',
    "fatal: unable to access 'https://x/': Could not resolve host: x",
    'npm error code EAI_AGAIN',
    'npm ERR! request to https://registry.npmjs.org/x failed, reason: getaddrinfo ENOTFOUND registry.npmjs.org',
    "WARNING: Retrying ... NewConnectionError('<...>: Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')",
    'go: github.com/x/y@v1: Get "https://proxy.golang.org/": dial tcp: lookup proxy.golang.org: no such host',
    'error: failed to fetch: dns error: failed to lookup address information: Try again',
    "warning: spurious network error (3 tries remaining): [6] Couldn't resolve host name",
    '[ERROR] Unknown host repo.maven.apache.org',
    'bash: connect: Network is unreachable',
  ])('for want of a network: %s', (said) => {
    expect(explain({ said, failed: false })).toEqual([expect.stringMatching(/no network here.*--network packages.*fetch_url/u) as string]);
    expect(explain({ said, network: 'on' })).toEqual([]);
    expect(explain({ said, network: 'some' })).toEqual([expect.stringMatching(/only some hosts/u) as string]);
  });

  it('not the network for a server of its own that refuses', () => {
    expect(explain({ said: 'connect ECONNREFUSED 127.0.0.1:3000' })).toEqual([expect.stringMatching(/^nothing listens on 127\.0\.0\.1:3000/u)]);
  });
});

/** Of a folder in /tmp, or elsewhere. */
const HIDDEN_PLACE = /empty \/tmp of its own.*--readable|do not see/u;

describe.skipIf((await findBubblewrap()) === undefined)('in a sandbox', () => {
  it('a real command that fails says why', async () => {
    await using bench = await SandboxBench.open(process.getuid?.() === 0 ? 'root' : 'user');
    // The same whether it is there or not.
    for (const name of ['s.txt', 'nothing'])
      expect((await bench.inside(`cat ${bench.outside}/${name}`)).hints).toEqual([expect.stringMatching(HIDDEN_PLACE) as string]);
    // By the links that every system has, what is shown is not hidden.
    for (const path of ['/bin/nothing', '/lib/nothing', '/usr/nothing']) expect((await bench.inside(`cat ${path}`)).hints).toEqual([]);
    expect((await bench.inside('getent hosts example.com || curl -sS http://example.com/ | head -1')).hints).toEqual([
      expect.stringContaining('no network here') as string,
    ]);
    expect((await bench.inside('false')).hints).toEqual([]);
  });

  it('reports what the network refused, even if the command printed nothing about it', async () => {
    await using bench = await SandboxBench.open(process.getuid?.() === 0 ? 'root' : 'user');
    const hints = async (command: string) => (await bench.inside(command, { countsLeft: true })).hints;
    const lookUp = `perl -e 'gethostbyname("example.com"); exit 3'`;
    expect(await hints(lookUp)).toEqual([expect.stringContaining('no network here') as string]);
    expect(await hints(`${lookUp}; echo done`)).toEqual([]);
    expect(await hints(`perl -MIO::Socket::INET -e 'IO::Socket::INET->new("192.0.2.1:80"); exit 3'`)).toHaveLength(1);
    // Refused by this machine, which has an address.
    expect(await hints(`perl -MIO::Socket::INET -e 'IO::Socket::INET->new("127.0.0.1:9"); exit 3'`)).toEqual([]);
  });
});
