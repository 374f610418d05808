import { describe, expect, it } from 'vitest';
import { SandboxBench, TEST_USERS } from '../../testing/sandbox-bench.ts';
import { findBubblewrap } from '../find-bubblewrap.ts';
import { filteredArchitecture } from './call-filter.ts';
import { filterProgram } from './filter-program.ts';
import { JUDGED_CALLS, REFUSED_CALLS, SECCOMP_ARCHITECTURES } from './system-calls.ts';

const architecture = filteredArchitecture();
const works = architecture !== undefined && (await findBubblewrap()) !== undefined;

/** The number of a call on this processor. */
function numberOf(name: string): number {
  const call = [...REFUSED_CALLS, ...JUDGED_CALLS].find((one) => one.name === name);
  if (call === undefined || architecture === undefined) throw new Error(`There is no ${name}.`);
  return call[architecture];
}

/** Prints the result of a system call, or its error. */
const perl = (number: number, ...rest: Array<number | string>): string =>
  `perl -e '$r = syscall(${[number, ...rest].join(', ')}); print $r == -1 ? $!+0 : "done"'`;

const EPERM = '1';
const ENOSYS = '38';
const EOPNOTSUPP = '95';

/** Each ends otherwise outside, which shows that it is the filter that refuses. */
const REFUSED: ReadonlyArray<readonly [string, () => string, string]> = [
  ['keys of the session', () => perl(numberOf('keyctl'), 0, -3, 0), EPERM],
  ['a new key', () => perl(numberOf('add_key'), 0, 0, 0, 0, 0), EPERM],
  ['an open file of another process', () => perl(numberOf('pidfd_getfd'), -1, 0, 0), EPERM],
  ['a mount of its own, by the newer call', () => perl(numberOf('open_tree_attr'), -1, 0, 0, 0, 0), EPERM],
  ['an access list', () => perl(numberOf('setxattr'), 0, 0, 0, 0, 0), EOPNOTSUPP],
  ['an access list, by the newest call', () => perl(numberOf('setxattrat'), -1, 0, 0, 0, 0, 0), EOPNOTSUPP],
  ['another security context', () => perl(numberOf('lsm_set_self_attr'), 0, 0, 0, 0), EPERM],
  ['limits of a file system', () => perl(numberOf('quotactl_fd'), -1, 0, 0, 0), EPERM],
  ['a watch over the processor', () => perl(numberOf('perf_event_open'), 0, 0, -1, -1, 0), EPERM],
  ['a ring of calls', () => perl(numberOf('io_uring_setup'), 0, 0), ENOSYS],
  ['clone3, whose flags cannot be seen', () => perl(435, 0, 0), ENOSYS],
  // EAFNOSUPPORT or a socket outside.
  ['a socket to the host of a virtual machine', () => perl(numberOf('socket'), 40, 1, 0), EPERM],
  ['a socket to the ciphers of the kernel', () => perl(numberOf('socket'), 38, 5, 0), EPERM],
  ['a socket of a kind that nobody knows', () => perl(numberOf('socket'), 99, 1, 0), EPERM],
  ['a pair of sockets of another kind', () => perl(numberOf('socketpair'), 30, 1, 0, '$pair = " " x 8'), EPERM],
  ['a watch over a file system', () => perl(numberOf('fanotify_init'), 0x200, 0), EPERM],
  ['typing into a terminal', () => perl(numberOf('ioctl'), 0, 0x5412, 0), EPERM],
  ['a snapshot by btrfs, which has hidden files under new names', () => perl(numberOf('ioctl'), 0, '0x50009401', 0), EPERM],
  ['a snapshot by the newer command', () => perl(numberOf('ioctl'), 0, '0x50009417', 0), EPERM],
  ['a snapshot by bcachefs', () => perl(numberOf('ioctl'), 0, '0x4020bc10', 0), EPERM],
  ['a file that is sealed for good', () => perl(numberOf('ioctl'), 0, '0x40806685', 0), EPERM],
  ['to take a key from a file system', () => perl(numberOf('ioctl'), 0, '0xc0406618', 0), EPERM],
  ['typing into a terminal, with bits that the kernel leaves out', () => perl(numberOf('ioctl'), 0, '0x100005412', 0), EPERM],
];

describe.skipIf(!works).each(TEST_USERS)('system calls as %s', (user) => {
  it.each(REFUSED)('refuses %s', async (_, command, expected) => {
    await using bench = await SandboxBench.open(user);
    expect((await bench.inside(command())).stdout).toBe(expected);
    expect((await bench.outsideOf(command())).stdout).not.toBe(expected);
  });

  it('refuses to make programs that run with the rights of their owner, and no other permissions', async () => {
    await using bench = await SandboxBench.open(user, { files: { made: '' } });
    const make = [
      'chmod 4755 made; chmod u+s made; perl -e \'chmod 04711, "made"; sysopen(F, "new", 0101, 04755); print -u "new" ? "set" : ""\'',
      'perl -e \'$f = "made"; $h = pack("QQQ", 0101, 04755, 0); syscall(452, -100, $f, 04755, 0); syscall(437, -100, $f, $h, 24); print $!+0\'',
      '{ test -u made || test -u new; } && echo owner; chmod 2755 . && chmod 751 made && test -g . && echo others',
    ].join('; ');
    expect((await bench.inside(make)).stdout).toBe(`${ENOSYS}others\n`);
    expect((await bench.outsideOf(make.replaceAll('chmod 751 made', ':'))).stdout).toMatch(/owner\nothers/u);
  });

  it.each([1, 2, 10, 16])('leaves sockets of family %d', async (family) => {
    await using bench = await SandboxBench.open(user);
    // 3 is SOCK_RAW, which netlink takes.
    expect((await bench.inside(perl(numberOf('socket'), family, family === 16 ? 3 : 1, 0))).stdout).toBe('done');
  });

  it.each(['0x40049409', '0x4020940d', '0xc0189436'])('leaves clones of open files (%s)', async (command) => {
    await using bench = await SandboxBench.open(user);
    // There is no such open file.
    expect((await bench.inside(perl(numberOf('ioctl'), -1, command, 0))).stdout).toBe('9');
  });

  it('refuses new user namespaces, and no other use of the same calls', async () => {
    await using bench = await SandboxBench.open(user);
    // CLONE_FILES takes no right. CLONE_NEWUSER would be ENOSPC without the filter: its number is limited, too.
    expect((await bench.inside(perl(numberOf('unshare'), 0x400))).stdout).toBe('done');
    expect((await bench.inside(perl(numberOf('unshare'), 0x1000_0000))).stdout).toBe(EPERM);
    expect((await bench.outsideOf(perl(numberOf('unshare'), 0x1000_0000))).stdout).toBe('done');
  });

  it.runIf(architecture === 'x64')('kills what calls by the numbers of another processor', async () => {
    await using bench = await SandboxBench.open(user);
    const command = `${perl(0x4000_0000 + 39)}; echo " $?"`;
    // 31 is SIGSYS.
    expect((await bench.inside(command)).stdout).toMatch(/^ (?:159|31)\n$/u);
    expect((await bench.outsideOf(command)).stdout).toMatch(/^(?:38|done) 0\n$/u);
  });

  it('refuses to change the first process of its namespace, whose end ends all others, but not another one', async () => {
    await using bench = await SandboxBench.open(user);
    const seize = 0x4206;
    const attempts = (pid: string) =>
      [
        perl(numberOf('ptrace'), seize, pid, 0, 0),
        perl(numberOf('process_vm_writev'), pid, 0, 0, 0, 0, 0),
        perl(numberOf('prlimit64'), pid, 5, 0, 0),
        // /proc is read-only, so its memory is too.
        `perl -e 'print open(my $f, "+<", "/proc/" . ${pid} . "/mem") ? "done" : "closed"'`,
      ].join('; echo; ');
    expect((await bench.inside(attempts('1'))).stdout).toBe([EPERM, EPERM, EPERM, 'closed'].join('\n'));
    const { stdout } = await bench.inside(`sleep 30 & ${attempts('\'"$!"\'')}; kill $!`);
    expect(stdout).toBe(['done', 'done', 'done', 'closed'].join('\n'));
  });

  it('refuses the open files of the first process, which end all others, and those of others alike', async () => {
    await using bench = await SandboxBench.open(user);
    // 434 is pidfd_open.
    const take = (pid: string) =>
      `perl -e '$p = syscall(434, ${pid}, 0); $r = syscall(${numberOf('pidfd_getfd')}, $p, 0, 0); print $p > 0, " ", $r == -1 ? $!+0 : "done"'`;
    expect((await bench.inside(take('1'))).stdout).toBe(`1 ${EPERM}`);
    expect((await bench.outsideOf(take('$$+0'))).stdout).toBe('1 done');
  });

  it('leaves debuggers, threads and servers alone', async () => {
    await using bench = await SandboxBench.open(user);
    const traced = process.arch === 'x64' ? 101 : 117;
    const threads = 'use threads; print threads->create(sub { "thread " })->join';
    const server = 'use IO::Socket::INET; print IO::Socket::INET->new(Listen => 1) ? "server" : "none"';
    const { stdout } = await bench.inside(`${perl(traced, 0, 0, 0, 0)}; perl -e '${threads}'; perl -e '${server}'`);
    expect(stdout).toBe('donethread server');
  });
});

describe('the filter', () => {
  it.each(SECCOMP_ARCHITECTURES)('for %s has only jumps to within, and ends with a verdict', (name) => {
    const program = filterProgram(name);
    const count = program.length / 8;
    expect(Number.isInteger(count)).toBe(true);
    for (let index = 0; index < count; index += 1) {
      const furthest = Math.max(program.readUInt8(8 * index + 2), program.readUInt8(8 * index + 3));
      expect(index + 1 + furthest).toBeLessThan(count + (program.readUInt16LE(8 * index) === 0x06 ? 1 : 0));
    }
    expect(program.subarray(-8)).toEqual(Buffer.from([0x06, 0, 0, 0, 0, 0, 0xff, 0x7f]));
  });

  it('is missing for a processor whose calls are not known', () => {
    expect(filteredArchitecture('riscv64')).toBeUndefined();
  });
});
