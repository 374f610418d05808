import { execFileSync } from 'node:child_process';

/** Tag, permissions and user: the owner, user 4242, the group, the mask, others (linux/posix_acl_xattr.h). */
const ENTRIES = [
  [0x01, 6, 0xffffffff],
  [0x02, 6, 4242],
  [0x04, 0, 0xffffffff],
  [0x10, 6, 0xffffffff],
  [0x20, 0, 0xffffffff],
] as const;

/** An access list as its attribute has it, in hexadecimal: user 4242 may read and write a file of mode 660, and its group may not. For tests. */
export const ACCESS_LIST = Buffer.concat([
  Buffer.from([2, 0, 0, 0]),
  ...ENTRIES.map(([tag, permissions, user]) => {
    const entry = Buffer.alloc(8);
    entry.writeUInt16LE(tag, 0);
    entry.writeUInt16LE(permissions, 2);
    entry.writeUInt32LE(user, 4);
    return entry;
  }),
]).toString('hex');

const python = (program: string, ...values: readonly string[]): string =>
  execFileSync('python3', ['-c', `import os, sys\nname = "system.posix_acl_"\n${program}`, ...values], { encoding: 'utf8' }).trim();

/** Gives files {@link ACCESS_LIST}. For tests. */
export function setAccessList(...paths: readonly string[]): void {
  python('for path in sys.argv[2:]: os.setxattr(path, name + "access", bytes.fromhex(sys.argv[1]))', ACCESS_LIST, ...paths);
}

/** Makes a folder hand {@link ACCESS_LIST} on to new files. For tests. */
export function setDefaultList(path: string): void {
  python('os.setxattr(sys.argv[2], name + "default", bytes.fromhex(sys.argv[1]))', ACCESS_LIST, path);
}

/** The access lists of files, in hexadecimal, or `none`. For tests. */
export const accessListsOf = (...paths: readonly string[]): string[] =>
  python(
    'for path in sys.argv[1:]: print(os.getxattr(path, name + "access").hex() if name + "access" in os.listxattr(path) else "none")',
    ...paths,
  ).split('\n');
