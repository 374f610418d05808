import type { ProcessOutcome } from '../process/processes.ts';
import type { ResourceLimits } from './resource-limits.ts';

const GIB = 2 ** 30;

/** A limit of each process, which the kernel enforces without a word to the model. */
interface LimitSign {
  /** How shells and programs report it. */
  readonly said: RegExp;
  /** The exit code of a shell whose last program it ended: 128 and the signal. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals;
  readonly tell: (limits: ResourceLimits) => string;
}

const LIMIT_SIGNS: readonly LimitSign[] = [
  {
    said: /File size limit exceeded|\bEFBIG\b|^.*\bFile too large$/mu,
    exitCode: 153,
    signal: 'SIGXFSZ',
    tell: ({ fileBytes }) =>
      `a command can write at most ${Math.round((fileBytes / GIB) * 10) / 10} GiB to one file: write several files, or a person makes it outside of Synapse`,
  },
  {
    said: /CPU time limit exceeded/u,
    exitCode: 152,
    signal: 'SIGXCPU',
    tell: ({ cpuSeconds }) =>
      `each process of a command can use ${Math.round(cpuSeconds / 60)} minutes of processor time: divide the work, or a person runs it outside of Synapse`,
  },
];

/** All that tells of a limit in the output of a command that went on after it. */
export const LIMITS_SAID = new RegExp(LIMIT_SIGNS.map(({ said }) => said.source).join('|'), 'mu');

/** One line for each limit that ended a program of a command, or kept it from writing. */
export function explainLimits(said: string, { exitCode, signal }: Pick<ProcessOutcome, 'exitCode' | 'signal'>, limits: ResourceLimits): string[] {
  return LIMIT_SIGNS.filter((sign) => exitCode === sign.exitCode || signal === sign.signal || sign.said.test(said)).map(({ tell }) => tell(limits));
}
