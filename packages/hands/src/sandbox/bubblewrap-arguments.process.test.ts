import { describe, expect, it } from 'vitest';
import { bubblewrapArguments, hasTargetInside, sandboxArgv, type Mount, type SandboxPlan } from './bubblewrap-arguments.ts';

const plan = (mounts: readonly Mount[], rest: Partial<SandboxPlan> = {}): SandboxPlan => ({
  mounts,
  network: 'own',
  temporaryBytes: 1024,
  environment: {},
  ...rest,
});
const FIXED =
  '--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net --die-with-parent --new-session --cap-drop ALL --dev /dev --size 256 --tmpfs /dev/shm --remount-ro /dev --proc /proc --remount-ro /proc';

describe('arguments', () => {
  it.each<readonly [string, Mount, string]>([
    ['writable', { kind: 'writable', path: '/w' }, '--bind /w /w'],
    ['an overlay', { kind: 'writable', path: '/w', source: '/m' }, '--bind /m /w'],
    ['read-only', { kind: 'read-only', path: '/w/.git/config' }, '--ro-bind /w/.git/config /w/.git/config'],
    ['private', { kind: 'private', path: '/tmp' }, '--size 1024 --tmpfs /tmp'],
    ['a small private one', { kind: 'private', path: '/run', bytes: 7 }, '--size 7 --tmpfs /run'],
    ['one that may be gone', { kind: 'read-only', path: '/o', optional: true }, '--ro-bind-try /o /o'],
    ['a link', { kind: 'link', path: '/bin', target: 'usr/bin' }, '--symlink usr/bin /bin'],
    ['a cache', { kind: 'cache', path: '/h/.npm' }, '--ro-bind-try /h/.npm /h/.npm'],
    ['a cache with a layer', { kind: 'cache', path: '/h/.npm', source: '/l' }, '--bind /l /h/.npm'],
    ['a masked folder', { kind: 'masked-folder', path: '/w/s' }, '--perms 0000 --size 4096 --tmpfs /w/s --remount-ro /w/s'],
    ['a masked file', { kind: 'masked-file', path: '/w/.env' }, '--ro-bind /dev/null /w/.env'],
  ])('%s', (_, mount, expected) => {
    expect(bubblewrapArguments(plan([mount])).join(' ')).toBe(`${FIXED} ${expected} --remount-ro /`);
  });

  it('keeps the order of mounts, and names what differs', () => {
    const mounts: Mount[] = [
      { kind: 'private', path: '/tmp' },
      { kind: 'writable', path: '/tmp/w' },
    ];
    const all = bubblewrapArguments(plan(mounts, { network: 'host', environment: { A: 'b c' }, user: { uid: 7, gid: 8 } }));
    expect(all).not.toContain('--unshare-net');
    expect(all.join(' ')).toMatch(/ --size 1024 --tmpfs \/tmp --bind \/tmp\/w \/tmp\/w --remount-ro \/ --setenv A b c$/u);
    expect(all.join(' ')).toContain('--uid 7 --gid 8');
  });
});

describe('the shield against links in mount targets', () => {
  const writable: Mount = { kind: 'writable', path: '/w' };
  const deep: Mount = { kind: 'masked-file', path: '/w/a/.env' };

  it.each<readonly [string, readonly Mount[], boolean]>([
    ['nothing in the workspace', [writable], false],
    ['directly below', [writable, { kind: 'masked-file', path: '/w/.env' }], true],
    ['deeper', [writable, deep], true],
    ['deeper in a place of a like name', [writable, { kind: 'masked-file', path: '/w-other/a/.env' }], false],
    ['a read-only workspace', [{ kind: 'read-only', path: '/w' }, deep], false],
  ])('%s', (_, mounts, expected) => {
    expect(hasTargetInside(mounts)).toBe(expected);
    const argv = sandboxArgv({ program: '/usr/bin/bwrap', followsLinks: true, cwd: '/w', plan: plan(mounts) }, ['true']);
    expect(argv.filter((word) => word === '/usr/bin/bwrap')).toHaveLength(expected ? 2 : 1);
  });

  it('is left out where bubblewrap is fixed', () => {
    const argv = sandboxArgv({ program: '/usr/bin/bwrap', followsLinks: false, cwd: '/w/a', plan: plan([writable, deep]) }, ['true', '-x']);
    expect(argv.join(' ')).toBe(`/usr/bin/bwrap ${FIXED} --bind /w /w --ro-bind /dev/null /w/a/.env --remount-ro / --chdir /w/a -- true -x`);
  });

  it('is around the other one, with the overlay writable', () => {
    const start = { program: 'bwrap', followsLinks: true, cwd: '/w', plan: plan([{ ...writable, source: '/m' }, deep]) };
    expect(sandboxArgv(start, ['x']).join(' ')).toContain(
      `bwrap --unshare-user --unshare-pid --as-pid-1 --die-with-parent --ro-bind / / --dev-bind /dev /dev --bind /proc /proc --bind /m /m -- bwrap ${FIXED}`,
    );
  });
});

it('bounds the table of processes before nobody may write that any more', () => {
  const all = bubblewrapArguments(plan([], { pidMax: 4 })).join(' ');
  expect(all).toContain(' --proc /proc --file 4 /proc/sys/kernel/pid_max --remount-ro /proc');
});
