/** Why a job was stopped. */
export type StopReason = 'stopped' | 'timed_out' | 'session_ended';

/** How a job ended. `lost`: the Synapse process that ran it was killed, and the rest of the job was ended. */
export type JobEnding =
  | { readonly how: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly how: StopReason }
  | { readonly how: 'failed'; readonly message: string }
  | { readonly how: 'lost' };

/** The state of a job. A detached job outlives its session. */
export type JobState =
  | { readonly status: 'running'; readonly detached: boolean }
  | { readonly status: 'ending'; readonly detached: boolean; readonly reason: StopReason }
  | { readonly status: 'ended'; readonly ending: JobEnding };

/** Events that change the state of a job. */
export type JobEvent =
  | { readonly type: 'detach' }
  | { readonly type: 'stop'; readonly reason: StopReason }
  | { readonly type: 'exit'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly type: 'fail'; readonly message: string };

export const STARTED: JobState = { status: 'running', detached: false };

type Transitions = { readonly [Status in JobState['status']]: (state: Extract<JobState, { status: Status }>, event: JobEvent) => JobState };

function endingOf(event: Extract<JobEvent, { type: 'exit' | 'fail' }>): JobEnding {
  return event.type === 'fail' ? { how: 'failed', message: event.message } : { how: 'exited', exitCode: event.exitCode, signal: event.signal };
}

const TRANSITIONS: Transitions = {
  running: (state, event) => {
    switch (event.type) {
      case 'detach':
        return { ...state, detached: true };
      case 'stop':
        // A detached job ignores the end of its session.
        return event.reason === 'session_ended' && state.detached ? state : { status: 'ending', detached: state.detached, reason: event.reason };
      case 'exit':
      case 'fail':
        return { status: 'ended', ending: endingOf(event) };
      default:
        return event satisfies never;
    }
  },
  // The first reason counts: a process that is being ended can fail in many ways.
  ending: (state, event) => (event.type === 'exit' || event.type === 'fail' ? { status: 'ended', ending: { how: state.reason } } : state),
  ended: (state) => state,
};

/** Returns the state of a job after an event. */
export function nextState(state: JobState, event: JobEvent): JobState {
  switch (state.status) {
    case 'running':
      return TRANSITIONS.running(state, event);
    case 'ending':
      return TRANSITIONS.ending(state, event);
    case 'ended':
      return TRANSITIONS.ended(state, event);
    default:
      return state satisfies never;
  }
}

/** Describes how a job ended. */
export function endingText(ending: JobEnding): string {
  switch (ending.how) {
    case 'exited':
      return ending.signal === null ? `exit code ${ending.exitCode}` : `ended by ${ending.signal}`;
    case 'stopped':
      return 'stopped';
    case 'timed_out':
      return 'timed out';
    case 'session_ended':
      return 'ended with its session';
    case 'failed':
      return ending.message;
    case 'lost':
      return 'ended with the Synapse process that ran it';
    default:
      return ending satisfies never;
  }
}
