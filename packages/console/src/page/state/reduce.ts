import type { ConsoleEvent, ConsoleRun, ConsoleServerFrame } from '@synapse/protocol/console';
import { mergeCalls } from './merge-calls.ts';
import type { LinkStatus, State } from './state.ts';

/** A change to the state: a frame of the console, or a change of the connection. */
export type Action =
  | { readonly type: 'link'; readonly link: LinkStatus }
  | Exclude<ConsoleServerFrame, { type: 'response' }>
  | { readonly type: 'problem'; readonly text: string };

/** Maximum number of calls to keep. The console does not list more either. */
const MAX_CALLS = 120_000;
/** Maximum characters of output per running call, and maximum number of such calls. */
const MAX_PROGRESS = 20_000;
const MAX_FOLLOWED = 20;

function withRun(runs: readonly ConsoleRun[], run: ConsoleRun): readonly ConsoleRun[] {
  return runs.some(({ id }) => id === run.id) ? runs.map((one) => (one.id === run.id ? run : one)) : [...runs, run];
}

function withProgress(state: State, call: string, output: string): State['progress'] {
  const entries = Object.entries(state.progress).filter(([id]) => id !== call);
  return Object.fromEntries([...entries.slice(-MAX_FOLLOWED), [call, `${state.progress[call] ?? ''}${output}`.slice(-MAX_PROGRESS)]]);
}

function apply(state: State, event: ConsoleEvent): State {
  switch (event.type) {
    case 'calls':
      return { ...state, calls: mergeCalls(state.calls, event.calls).slice(-MAX_CALLS) };
    case 'progress':
      return { ...state, progress: withProgress(state, event.call, event.output) };
    case 'approvals':
      return { ...state, approvals: event.approvals };
    case 'jobs':
      return { ...state, jobs: event.jobs };
    case 'run':
      return { ...state, runs: withRun(state.runs, event.run) };
    case 'stale':
      return { ...state, stale: { ...state.stale, ...Object.fromEntries(event.topics.map((topic) => [topic, (state.stale[topic] ?? 0) + 1])) } };
    default:
      return event satisfies never;
  }
}

/** Joins the calls of several events, so that the list is copied once per frame. */
function joined(events: readonly ConsoleEvent[]): ConsoleEvent[] {
  const calls = events.flatMap((event) => (event.type === 'calls' ? event.calls : []));
  const others = events.filter(({ type }) => type !== 'calls');
  if (calls.length === 0) return others;
  const last = new Map(calls.map((call) => [call.n, call]));
  return [{ type: 'calls', calls: [...last.values()].toSorted((a, b) => a.n - b.n) }, ...others];
}

/** Skips events that were already applied. After a gap, ignores all events until the page has fetched everything again. */
function hear(state: State, { epoch, seq, events }: Extract<ConsoleServerFrame, { type: 'events' }>): State {
  if (epoch !== state.epoch || state.gap) return state;
  if (seq > state.seq + 1) return { ...state, gap: true };
  const fresh = events.slice(state.seq + 1 - seq);
  if (fresh.length === 0) return state;
  return { ...joined(fresh).reduce(apply, state), seq: seq + events.length - 1 };
}

/** Computes the state after an action. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'link':
      return { ...state, link: action.link };
    case 'problem':
      return { ...state, problem: action.text, loading: false };
    case 'snapshot': {
      const { epoch, seq, project, version, calls, approvals, jobs, runs } = action;
      const known = epoch === state.epoch ? state.calls : [];
      const all = known.length === 0 ? calls : mergeCalls(known, calls);
      return {
        ...state,
        epoch,
        seq,
        project,
        version,
        calls: all,
        approvals,
        jobs,
        runs,
        gap: false,
        loading: true,
        problem: undefined,
        link: 'live',
        progress: {},
      };
    }
    case 'resumed':
      return { ...state, link: 'live', gap: false };
    case 'history':
      if (action.epoch !== state.epoch) return state;
      return { ...state, calls: mergeCalls(state.calls, action.calls), loading: state.loading && !action.complete };
    case 'events':
      return hear(state, action);
    default:
      return action satisfies never;
  }
}
