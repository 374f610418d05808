import { git, initRepository } from '../../packages/hands/src/testing/git-repository.ts';
import { startChatServer } from '../agent/scripted-chat.ts';
import { makePlace, runCli, type Outcome, type Place } from './run-cli.ts';

/** A call of a model, and what happens before it wants it. */
export type Step = readonly [tool: string, input: unknown, before?: () => void];

export const write = (path: string, content: string): Step => ['write_file', { path, content }];
export const run = (command: string, more: object = {}): Step => ['run_command', { command, ...more }];

/** A place with a repository. */
export async function repositoryPlace(files: Record<string, string>): Promise<Place> {
  const place = await makePlace(files);
  initRepository(place.folder);
  git(place.folder, 'config', 'user.name', 'Ada');
  git(place.folder, 'config', 'user.email', 'ada@example.com');
  git(place.folder, 'add', '-A');
  git(place.folder, 'commit', '-qm', 'first');
  return place;
}

/** Lets a model make calls in a session. Returns its id. */
export async function recordSession(place: Place, calls: readonly Step[], flags: readonly string[] = ['--allow', 'write,exec']): Promise<string> {
  await using server = await startChatServer((_, index) => {
    const [name, input, before] = calls[index] ?? [];
    before?.();
    return name === undefined ? { kind: 'text', text: 'Done.' } : { kind: 'calls', calls: [{ id: 'c', name, input: JSON.stringify(input) }] };
  });
  const ran = await runCli(place, ['run', 'Do it', '--base-url', server.url, '--model', 'scripted', ...flags]);
  if (ran.code !== 0 || ran.out !== 'Done.\n') throw new Error(`The session failed: ${JSON.stringify(ran)}`);
  const [{ id }] = (JSON.parse((await runCli(place, ['sessions', '--json'])).out) as { sessions: [{ id: string }] }).sessions;
  return id;
}

/** What became of each call of a replay: `same`, `differs: time`. */
export function replayedStates({ out }: Outcome): string[] {
  const { replayed } = JSON.parse(out) as { replayed: { state: string; reasons: string[] }[] };
  return replayed.map(({ state, reasons }) => [state, ...reasons].join(': '));
}
