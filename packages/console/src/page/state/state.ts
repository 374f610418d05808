import type { ConsoleCall, ConsoleJob, ConsoleQuestion, ConsoleRun, ConsoleTopic } from '@synapse/protocol/console';

/** The state of the connection to the console. */
export type LinkStatus = 'connecting' | 'live' | 'offline' | 'signed-out';

/** The state of the page, except for data that views request themselves. */
export interface State {
  readonly link: LinkStatus;
  /** The reason the project cannot be shown. */
  readonly problem: string | undefined;
  readonly epoch: string | undefined;
  /** Number of the last applied event. */
  readonly seq: number;
  /** Whether events are missing, so that the page has to fetch everything again. */
  readonly gap: boolean;
  readonly project: string;
  readonly version: string;
  /** Oldest first. */
  readonly calls: readonly ConsoleCall[];
  /** Whether older calls are still loading. */
  readonly loading: boolean;
  readonly approvals: readonly ConsoleQuestion[];
  readonly jobs: readonly ConsoleJob[];
  readonly runs: readonly ConsoleRun[];
  /** The latest output of running calls. */
  readonly progress: Readonly<Record<string, string>>;
  /** Counters that increase whenever a topic changes. */
  readonly stale: Readonly<Partial<Record<ConsoleTopic, number>>>;
}

export const FIRST_STATE: State = {
  link: 'connecting',
  problem: undefined,
  epoch: undefined,
  seq: 0,
  gap: false,
  project: '',
  version: '',
  calls: [],
  loading: true,
  approvals: [],
  jobs: [],
  runs: [],
  progress: {},
  stale: {},
};
