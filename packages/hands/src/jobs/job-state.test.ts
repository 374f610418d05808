import { describe, expect, it } from 'vitest';
import { endingText, nextState, STARTED, type JobEnding, type JobEvent, type JobState } from './job-state.ts';

const exit: JobEvent = { type: 'exit', exitCode: 3, signal: null };
const fail: JobEvent = { type: 'fail', message: 'no sandbox' };
const stop: JobEvent = { type: 'stop', reason: 'stopped' };
const sessionEnd: JobEvent = { type: 'stop', reason: 'session_ended' };
const detach: JobEvent = { type: 'detach' };

const running = STARTED;
const detached: JobState = { status: 'running', detached: true };
const ending: JobState = { status: 'ending', detached: false, reason: 'timed_out' };
const exited: JobState = { status: 'ended', ending: { how: 'exited', exitCode: 3, signal: null } };

describe('nextState', () => {
  it.each<[string, JobState, JobEvent, JobState]>([
    ['a running job exits', running, exit, exited],
    ['a running job fails', running, fail, { status: 'ended', ending: { how: 'failed', message: 'no sandbox' } }],
    ['a running job is stopped', running, stop, { status: 'ending', detached: false, reason: 'stopped' }],
    ['a session ends', running, sessionEnd, { status: 'ending', detached: false, reason: 'session_ended' }],
    ['a job is detached', running, detach, detached],
    ['the session of a detached job ends', detached, sessionEnd, detached],
    ['a detached job is stopped', detached, stop, { status: 'ending', detached: true, reason: 'stopped' }],
    ['what is being ended exits', ending, exit, { status: 'ended', ending: { how: 'timed_out' } }],
    ['what is being ended fails', ending, fail, { status: 'ended', ending: { how: 'timed_out' } }],
    ['the first reason counts', ending, stop, ending],
    ['what is being ended cannot be detached', ending, detach, ending],
    ['nothing happens to what has ended', exited, fail, exited],
    ['an ended job is not ended again', exited, stop, exited],
    ['an ended job is not detached', exited, detach, exited],
  ])('%s', (_, state, event, next) => {
    expect(nextState(state, event)).toEqual(next);
  });
});

it.each<[JobEnding, string]>([
  [{ how: 'exited', exitCode: 0, signal: null }, 'exit code 0'],
  [{ how: 'exited', exitCode: null, signal: 'SIGSEGV' }, 'ended by SIGSEGV'],
  [{ how: 'stopped' }, 'stopped'],
  [{ how: 'timed_out' }, 'timed out'],
  [{ how: 'session_ended' }, 'ended with its session'],
  [{ how: 'failed', message: 'no sandbox' }, 'no sandbox'],
])('%j in words', (ending, words) => {
  expect(endingText(ending)).toBe(words);
});
