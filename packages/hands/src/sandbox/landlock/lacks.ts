import { SCOPES_ABI, TCP_ABI } from './landlock-plan.ts';

/** What a command under Landlock can do that one in bubblewrap cannot, and what it cannot do. */
interface Lack {
  /** The first ABI without it; undefined if all have it. */
  readonly until?: number;
  readonly text: string;
}

/** In the order of their weight. */
const LACKS: readonly Lack[] = [
  { until: SCOPES_ABI, text: 'it can send signals to your other processes, and outlive its call' },
  { text: 'it can change permissions and times of your other files' },
  { text: 'it sees that hidden files exist, and the command lines of other processes' },
  { text: 'it has no sockets without --network on, no shared memory and no terminals' },
  { text: 'its temporary files are on the disk, and as root nothing but a control group bounds its processes' },
  { until: TCP_ABI, text: 'only the filter of system calls keeps it from the network' },
];

/** What the tier lacks with an ABI. */
export const landlockLacks = (abi: number): string[] => LACKS.filter(({ until }) => until === undefined || abi < until).map(({ text }) => text);

/** The sentence for each result. @param isClone whether the command ran on a clone of the workspace */
export const landlockNote = (abi: number, isClone: boolean): string =>
  `Confined by Landlock${isClone ? ', on a copy with a path of its own' : ''}: ${landlockLacks(abi)
    .slice(0, abi < SCOPES_ABI ? 3 : 2)
    .join('; ')}`;
