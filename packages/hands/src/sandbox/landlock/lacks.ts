import { SCOPES_ABI, TCP_ABI } from './landlock-plan.ts';

/** What a command under Landlock can do that one in bubblewrap cannot, and what it cannot do. */
interface Lack {
  /** The first ABI without it; undefined if all have it. */
  readonly until?: number;
  readonly text: string;
}

/** In the order of their weight. */
const LACKS: readonly Lack[] = [
  { until: SCOPES_ABI, text: 'it can send signals to your other processes' },
  { text: 'it can change permissions and times of your files, also where it cannot read or write them' },
  { text: 'it sees that hidden files exist, and the command lines of other processes' },
  { text: 'it has no sockets without --network on, no shared memory and no terminals' },
  { until: TCP_ABI, text: 'only the filter of system calls keeps it from the network' },
];

/** What the tier lacks with an ABI. */
export const landlockLacks = (abi: number): string[] => LACKS.filter(({ until }) => until === undefined || abi < until).map(({ text }) => text);

/** The sentence for each result. */
export const landlockNote = (abi: number): string => `Confined by Landlock, because bubblewrap does not work here: ${landlockLacks(abi).join('; ')}`;
