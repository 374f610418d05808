import { SynapseError, type CallResult, type CallSuccess } from '@synapse/protocol';
import type * as z from 'zod';
import { count } from '../text/amounts.ts';
import { applyPatch } from '../tools/apply-patch.ts';
import { editFile } from '../tools/edit-file.ts';
import { fileInfo } from '../tools/file-info.ts';
import { findFiles } from '../tools/find-files.ts';
import { listDirectory } from '../tools/list-directory.ts';
import { readFile } from '../tools/read-file.ts';
import { runCommand } from '../tools/run-command.ts';
import { writeFile } from '../tools/write-file.ts';
import type { CanonicalCall, DialectAnswer } from './dialect.ts';
import { attempt, bodyText, FailedStep, need, succeeded, text, withCutNote } from './steps.ts';

/** Steps that the dialects of coding agents share. */
type Part<Answer> = Generator<CanonicalCall, Answer, CallResult>;

/** Canonical maximum of `timeout_ms`, in milliseconds. */
const MAX_TIMEOUT_MS = 3_600_000;

/** Formats each line of a text with its number. */
export function numberLines(body: string, first: number, line: (number: number, text: string) => string): string {
  if (body === '') return '';
  const lines = body.split('\n');
  if (body.endsWith('\n')) lines.pop();
  return lines.map((one, index) => `${line(first + index, one)}\n`).join('');
}

/** A range of lines of a file. */
export interface Lines {
  readonly path: string;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly number?: (number: number, text: string) => string;
}

/** Reads lines of a file, numbered in the dialect's style, or lists a folder. */
export function* readOrList({ path, offset, limit, number }: Lines, depth = 1): Part<DialectAnswer> {
  const range = { ...(offset === undefined ? {} : { offset }), ...(limit === undefined ? {} : { limit }) };
  const read = yield* attempt(readFile, { path, ...range });
  if (!read.ok && read.error.code === 'wrong_type') {
    // If the path is not a folder either, the first error is more useful.
    const listed = yield* attempt(listDirectory, { path, depth });
    if (!listed.ok) throw new FailedStep(read.error);
    return text(withCutNote(bodyText(listed), listed));
  }
  const file = succeeded(read);
  if (file.data.kind === 'image') return text(`[Image: ${file.data.path}]`);
  const body = file.data.content;
  // An empty answer could mean a failure or the end of the file; the note says which.
  const note = file.content.findLast(({ type }) => type === 'note');
  if (body === '' && note?.type === 'note') return text(note.text);
  return text(withCutNote(number === undefined ? body : numberLines(body, file.data.first_line, number), file));
}

/** Finds files by a glob; one path per line. */
export function* listFiles(glob: string, path: string | undefined): Part<DialectAnswer> {
  const found = yield* need(findFiles, { glob, ...(path === undefined ? {} : { path }) });
  if (found.data.files.length === 0) return text('No files found');
  return text(withCutNote(found.data.files.map((file) => `${file.path}\n`).join(''), found));
}

/** Replaces a text in a file. An empty old text creates the file. */
export function* replaceText(path: string, oldText: string, newText: string, replaceAll = false): Part<DialectAnswer> {
  if (oldText === '') {
    const info = yield* attempt(fileInfo, { path });
    if (info.ok) {
      throw new SynapseError('already_exists', `${path} exists, and the text to replace is empty; nothing was changed.`, {
        hint: 'Give the text to replace, as the file has it.',
      });
    }
    return yield* writeText(path, newText);
  }
  const edits = [{ old_text: oldText, new_text: newText, replace_all: replaceAll }];
  const edited = yield* need(editFile, { path, edits });
  return text(`${path} was changed:\n${edited.data.diff}`);
}

/** Writes a whole file. */
export function* writeText(path: string, content: string): Part<DialectAnswer> {
  const written = yield* need(writeFile, { path, content });
  return text(`${path} was ${written.data.created ? 'created' : 'replaced'}: ${count(written.data.size, 'byte')}.`);
}

/** Returns the files that a patch changed. */
export function changedFiles(applied: CallSuccess): DialectAnswer {
  return text(`Success. Updated the following files:\n${bodyText(applied)}\n`);
}

/** Applies a patch and names the files. */
export function* patchFiles(patch: string): Part<DialectAnswer> {
  return changedFiles(yield* need(applyPatch, { patch }));
}

/** How to run a command. */
export interface ShellRun {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly timeoutMs?: number | null | undefined;
  /** Milliseconds used if the call does not set a time-out. */
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs?: number;
  /** Milliseconds after which the command continues as a job. Default: never. */
  readonly yieldMs?: number;
  /** Maximum number of bytes of output. */
  readonly maxBytes?: number | undefined;
}

export function* runShell(run: ShellRun): Part<CallSuccess<z.output<(typeof runCommand)['output']>>> {
  const { command, cwd, timeoutMs, defaultTimeoutMs, maxTimeoutMs = MAX_TIMEOUT_MS, yieldMs = 0, maxBytes } = run;
  const milliseconds = Math.min(maxTimeoutMs, Math.max(1, Math.floor(timeoutMs ?? defaultTimeoutMs)));
  const input = { command, timeout_ms: milliseconds, yield_ms: yieldMs, ...(cwd === undefined || cwd === '' ? {} : { cwd }) };
  return yield* need(runCommand, input, maxBytes === undefined ? {} : { outputBytes: maxBytes });
}

/** Returns how a command ended, in one line; undefined if it succeeded. */
export function endingLine({ data }: CallSuccess<z.output<(typeof runCommand)['output']>>): string | undefined {
  if (data.timed_out) return 'The command timed out and was ended.';
  if (data.exit_code === 0) return undefined;
  return data.exit_code === null ? `Ended by ${data.signal}` : `Exit code ${data.exit_code}`;
}

/** Returns the output of a command; after a failure, with a line about how it ended. */
export function shellAnswer(ran: CallSuccess<z.output<(typeof runCommand)['output']>>): DialectAnswer {
  const ending = endingLine(ran);
  const body = ran.data.output;
  if (ending === undefined) return text(body);
  return { ...text(`${body}${body === '' || body.endsWith('\n') ? '' : '\n'}${ending}\n`), isError: true };
}
