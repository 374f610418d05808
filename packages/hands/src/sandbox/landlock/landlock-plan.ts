import type { LandlockRule, Right } from './landlock-rules.ts';

/** Rights on files (linux/landlock.h), by the ABI that has them first. */
const EXECUTE = 1 << 0;
const WRITE_FILE = 1 << 1;
const READ_FILE = 1 << 2;
const READ_DIR = 1 << 3;
const REMOVE = (1 << 4) | (1 << 5);
/** Folders, files, sockets, pipes and links. No program can listen on a socket, but masks of hidden files are some, and can be moved. */
const MAKE = (1 << 7) | (1 << 8) | (1 << 9) | (1 << 10) | (1 << 12);
/** All rights of the first ABI, also to make devices, which nothing gets. */
const FIRST = (1 << 13) - 1;
/** To move and link from one folder to another (ABI 2), to shorten a file (3), and to control a device (5). */
const REFER = 1 << 13;
const TRUNCATE = 1 << 14;
const IOCTL_DEV = 1 << 15;
/** What applies to a file. A rule for one may have no others. */
const OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;

/** To listen on and to connect to a port by TCP (ABI 4). */
const TCP = 0b11;
/** No abstract sockets of others, and no signals to them (ABI 6). */
const SCOPES = 0b11;

const RIGHTS: Readonly<Record<Right, number>> = {
  list: READ_DIR,
  read: EXECUTE | READ_FILE,
  write: WRITE_FILE | TRUNCATE | REMOVE | MAKE | REFER,
};

/** The ABI with the right to shorten a file: before, a command could empty any file of the user. */
export const LEAST_ABI = 3;
/** The ABIs that can keep a command from TCP, and from signals to others. */
export const TCP_ABI = 4;
const IOCTL_ABI = 5;
export const SCOPES_ABI = 6;

/** What the program that confines a command reads. */
export interface LandlockPlan {
  readonly abi: number;
  readonly rules: readonly LandlockRule[];
  readonly network: boolean;
  /** The limit of the processes of the user; undefined for none. */
  readonly processes: number | undefined;
  /** The process that starts the program: the command must not outlive it. Undefined if that does not matter. */
  readonly parent?: number;
  /** Variables in addition to those of the process runner. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The rights that an ABI asks about: everything that no rule allows is denied. */
export const handledFiles = (abi: number): number => FIRST | REFER | TRUNCATE | (abi >= IOCTL_ABI ? IOCTL_DEV : 0);

/** The plan in the format of `landlock.pl`. */
export function planText({ abi, rules, network, processes, parent, environment }: LandlockPlan): string {
  const tcp = abi >= TCP_ABI && !network ? TCP : 0;
  const fields = [
    `handled ${handledFiles(abi)} ${tcp} ${abi >= SCOPES_ABI ? SCOPES : 0}`,
    ...(processes === undefined ? [] : [`processes ${processes}`]),
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    ...Object.entries(environment).map(([name, value]) => `variable ${name}=${value}`),
    ...rules.map(({ path, rights }) => {
      const all = rights.reduce((sum, right) => sum | RIGHTS[right], 0);
      return `rule ${all} ${all & OF_FILES} ${path}`;
    }),
  ];
  return `${fields.join('\0')}\0`;
}
