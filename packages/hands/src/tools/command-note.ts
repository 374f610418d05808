import type { ProcessOutcome, QuarantinedFile } from '../process/processes.ts';
import { endsWithPrompt } from '../process/progress-feed.ts';
import { count } from '../text/amounts.ts';
import { displayText } from '../workspace/byte-name.ts';

/** Formats milliseconds as seconds. */
export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(milliseconds < 9_950 ? 1 : 0)} s`;

/** Of a shorter command, the duration tells a model nothing: no deadline and no background job depends on it. In milliseconds. */
const MIN_TOLD_MS = 10_000;

/** How long a command took that was ended, whatever code its shell made of that, or took long. The data of the answer tell it of every command. */
export const tookNotes = ({ exitCode, aborted, durationMs }: Pick<ProcessOutcome, 'exitCode' | 'aborted' | 'durationMs'>): string[] =>
  exitCode !== null && !aborted && durationMs < MIN_TOLD_MS ? [] : [seconds(durationMs)];

/** Where a moved file can be found. */
const KEPT = 'a person can look at it and put it back: synapse quarantine';
/** How to allow such files if they are wanted, for example for `npm init` or a command of an editor. */
const PERMIT = 'where such a file is wanted, a person permits it: --allow protected (CLI, MCP server), allow: ["protected"] (library)';

/** What remains to be done if not everything could be searched. */
const LOCKED = 'not everything that it left could be looked at, so commands are locked until a person has looked and run: synapse quarantine unlock';

const DONE = {
  moved: 'moved to quarantine:',
  deleted: 'deleted:',
  reported: 'please check:',
  found: 'left by an earlier command that was cut off, please check:',
} as const satisfies Record<QuarantinedFile['action'], string>;

/** Describes what happened to the files that a command left for other programs to execute. */
export function quarantineNotes(files: readonly QuarantinedFile[]): string[] {
  return [
    ...files.map(({ path, reason, detail, action }) => `${DONE[action]} ${path} (${reason}: ${detail})`),
    ...(files.some(({ action }) => action === 'moved') ? [KEPT] : []),
    ...(files.some(({ reason, action }) => reason === 'protected' && (action === 'moved' || action === 'deleted')) ? [PERMIT] : []),
    ...(files.some(({ reason }) => reason === 'not-searched') ? [LOCKED] : []),
  ];
}

/** Describes the processes that a command left behind. */
export function leftBehindNotes({ leftRunning, survivors }: Pick<ProcessOutcome, 'leftRunning' | 'survivors'>): string[] {
  return [
    ...(leftRunning > 0
      ? [`${count(leftRunning, 'process', 'processes')} left in the background ended with it; run_command with "background" keeps a command running`]
      : []),
    ...(survivors > 0 ? [`${count(survivors, 'process', 'processes')} could not be ended`] : []),
  ];
}

/** Says which writes did not last. Beside the exit code, because with a code of 0 the command seems to have worked. */
export function lostNotes(lost: readonly string[] = [], { stillRuns = false } = {}): string[] {
  if (lost.length === 0) return [];
  const named = lost.map((path) => displayText(path)).join(', ');
  const how = stillRuns ? 'will not last' : 'did not last';
  return [`FAILED: ${named} ${how}: outside the workspace, where what a command writes is gone when it ends. Write it in the workspace`];
}

/** The error of bash or sh for an unknown command. */
const UNKNOWN_COMMAND = /^(?:\/?[\w/]*sh: (?:line )?\d+: )?([\w.-]+): (?:command )?not found$/mu;
/** Names that models try although they are not programs here, and what to do instead. */
const NO_PROGRAM: ReadonlyArray<readonly [name: RegExp, advice: string]> = [
  [/^(?:sudo|su|doas)$/u, 'there is only one user here: leave it out'],
  [
    /^(?:apply_patch|applypatch)$/u,
    'that is a tool and no program, and the patch was not applied: call the tool apply_patch with the patch as its text, then run the rest of the command',
  ],
  [/^(?:read_file|write_file|edit_file|search_text|find_files|list_directory|str_replace)/u, 'that is a tool and no program: call it as one'],
];

/** Commands that only change the shell they run in. */
const OWN_SHELL = /^(?:cd|pushd|popd|export|unset|alias|source|\.|set)(?:[ \t][^;&|\n]*)?$/u;
/** Package managers that change the machine, at the start of a command or after `sudo`. */
const INSTALLER =
  /^\s*(?:sudo[ \t]+)?(?:apt(?:-get)?|aptitude|yum|dnf|apk|pacman|zypper|brew|snap)[ \t](?:[^;&|\n]*[ \t])?(?:install|add|update|upgrade|-S\w*)\b/u;

/** Explains what a command cannot do here although a model may expect it. */
export function expectationNotes(command: string, exitCode: number | null): string[] {
  if (exitCode === 0 && OWN_SHELL.test(command.trim()))
    return ['each command has a shell of its own, so this does not last: use cwd, or join commands with &&'];
  if (exitCode !== 0 && INSTALLER.test(command)) return ['commands see the machine read-only: a person installs programs of the machine'];
  return [];
}

/** Says what to do about a missing command. */
export function missingNotes(exitCode: number | null, text: string): string[] {
  const name = UNKNOWN_COMMAND.exec(text)?.[1];
  const advice = name === undefined ? undefined : NO_PROGRAM.find(([program]) => program.test(name))?.[1];
  // What follows an unknown command may succeed: its exit code does not tell that a patch is missing.
  if (exitCode !== 127 && !/^apply_?patch$/u.test(name ?? '')) return [];
  return advice === undefined ? [] : [`${name}: ${advice}`];
}

/** What to do about a program that asks for something. */
export const NO_INPUT =
  'commands get no input: pass the answer as an argument (such as --yes) or in a file, or run it with background and pty and type with the tool job';
/** How programs report that they get no answer. */
const NO_INPUT_SIGNS: ReadonlyArray<readonly [sign: RegExp, source: string]> = [
  [/^EOFError: EOF when reading a line$/mu, 'Python'],
  [/ERR_USE_AFTER_CLOSE|readline was closed|User force closed the prompt/u, 'Node'],
  [/(?:could not read (?:Username|Password)|terminal prompts (?:have been )?disabled)/u, 'git'],
  [/\/dev\/tty: No such device or address/u, 'the shell, ssh, gpg'],
  [/(?:input|stdin|standard input) (?:device )?(?:is )?not a (?:TTY|terminal|tty)/iu, 'docker, npm create and others'],
  [/Inappropriate ioctl for device/u, 'stty, gpg'],
  [/a terminal is required to read the password/u, 'sudo'],
];

/** Says why a command failed that asked for something. */
export function inputNotes(exitCode: number | null, text: string): string[] {
  if (exitCode === 0 || exitCode === null) return [];
  return endsWithPrompt(text) || NO_INPUT_SIGNS.some(([sign]) => sign.test(text)) ? [NO_INPUT] : [];
}

/** Returns the fields of these files that an answer shows. */
export const shownFiles = (files: readonly QuarantinedFile[] = []) =>
  files.map(({ path, reason, detail, action }) => ({ path, reason, detail, action }));
