import { describe, expect, it } from 'vitest';
import { bubblewrapArguments, hasDeepTarget, sandboxArgv, type Mount, type SandboxPlan } from './bubblewrap-arguments.ts';

const plan = (mounts: readonly Mount[], rest: Partial<SandboxPlan> = {}): SandboxPlan => ({
  mounts,
  network: 'own',
  temporaryBytes: 1024,
  environment: {},
  ...rest,
});
const FIXED =
  '--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net --die-with-parent --new-session --cap-drop ALL --ro-bind / / --dev /dev --proc /proc';

describe('arguments', () => {
  it.each<readonly [string, Mount, string]>([
    ['writable', { kind: 'writable', path: '/w' }, '--bind /w /w'],
    ['a substitute', { kind: 'writable', path: '/w', source: '/m' }, '--bind /m /w'],
    ['read-only', { kind: 'read-only', path: '/w/.git/config' }, '--ro-bind /w/.git/config /w/.git/config'],
    ['private', { kind: 'private', path: '/tmp' }, '--size 1024 --tmpfs /tmp'],
    ['a masked folder', { kind: 'masked-folder', path: '/w/s' }, '--perms 0000 --size 4096 --tmpfs /w/s --remount-ro /w/s'],
    ['a masked file', { kind: 'masked-file', path: '/w/.env' }, '--ro-bind /dev/null /w/.env'],
  ])('%s', (_, mount, expected) => {
    expect(bubblewrapArguments(plan([mount])).join(' ')).toBe(`${FIXED} ${expected}`);
  });

  it('keeps the order of mounts, and names what differs', () => {
    const mounts: Mount[] = [
      { kind: 'private', path: '/tmp' },
      { kind: 'writable', path: '/tmp/w' },
    ];
    const all = bubblewrapArguments(plan(mounts, { network: 'host', environment: { A: 'b c' }, user: { uid: 7, gid: 8 } }));
    expect(all).not.toContain('--unshare-net');
    expect(all.slice(-9)).toEqual(['--size', '1024', '--tmpfs', '/tmp', '--bind', '/tmp/w', '/tmp/w', '--setenv', 'A', 'b c'].slice(-9));
    expect(all.join(' ')).toContain('--uid 7 --gid 8');
  });
});

describe('the shield against links in mount targets', () => {
  const writable: Mount = { kind: 'writable', path: '/w' };
  const deep: Mount = { kind: 'masked-file', path: '/w/a/.env' };

  it.each<readonly [string, readonly Mount[], boolean]>([
    ['nothing in the workspace', [writable], false],
    ['directly below', [writable, { kind: 'masked-file', path: '/w/.env' }], false],
    ['deeper', [writable, deep], true],
    ['deeper in a place of a like name', [writable, { kind: 'masked-file', path: '/w-other/a/.env' }], false],
    ['a read-only workspace', [{ kind: 'read-only', path: '/w' }, deep], false],
  ])('%s', (_, mounts, expected) => {
    expect(hasDeepTarget(mounts)).toBe(expected);
    const [, , script] = sandboxArgv({ program: '/usr/bin/bwrap', followsLinks: true, plan: plan(mounts) }, ['true']);
    expect(script?.match(/bwrap/gu)).toHaveLength(expected ? 2 : 1);
  });

  it('is left out where bubblewrap is fixed', () => {
    const [, , script] = sandboxArgv({ program: '/usr/bin/bwrap', followsLinks: false, plan: plan([writable, deep]) }, ['true']);
    expect(script).toBe(`cd -P . && exec '/usr/bin/bwrap' --chdir "$PWD" "$@"`);
  });

  it('quotes what a shell would read', () => {
    const mounts: Mount[] = [
      { kind: 'writable', path: "/w'; touch x; '" },
      { kind: 'masked-file', path: "/w'; touch x; '/a/b" },
    ];
    const [, , script] = sandboxArgv({ program: 'bwrap', followsLinks: true, plan: plan(mounts) }, ['true']);
    expect(script).toContain(`'/w'\\''; touch x; '\\'''`);
  });
});
