import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { MAX_FINDINGS, SEVERITIES, type Severity } from '../lsp/finding.ts';
import type { FileDiagnostics } from '../lsp/diagnostics.ts';
import { ignoredPaths } from '../git/ignored-paths.ts';
import { count } from '../text/amounts.ts';
import { defineTool } from '../tool/tool.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import * as fields from './fields.ts';

/** Maximum number of changed files of a session that are checked, newest changes first. */
const MAX_FILES = 50;
/** Maximum number of files whose texts are in memory at once. */
const FILES_AT_ONCE = 10;

/** Folders that are no sources in any project, also where no repository ignores them. */
const NOT_SOURCES: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** Maximum number of changed files, newest first, of which it is found out whether they are ignored. */
const MAX_CHANGED = 1_000;

const isAtLeast = (severity: Severity, least: Severity): boolean => SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least);

/** The changed files that people edit, newest first: what the repository ignores is output of builds and tests. */
async function changedSources({ diagnostics, git, workspace, signal }: ToolContext): Promise<string[]> {
  const changed = diagnostics.changedFiles().filter((path) => !path.split('/').some((name) => NOT_SOURCES.has(name)));
  const newest = changed.toReversed().slice(0, MAX_CHANGED);
  const ignored = await ignoredPaths(git, workspace, newest, signal);
  return newest.filter((path) => ignored?.has(path) !== true);
}

/** Checks a changed file; undefined for one that is not text, was moved by a command, or must not be read. */
async function checkIfPossible(path: string, { diagnostics, signal }: ToolContext): Promise<FileDiagnostics | undefined> {
  try {
    return await diagnostics.check(path);
  } catch (error) {
    if (signal.aborted || !(error instanceof SynapseError) || error.code === 'approval_required') throw error;
    return undefined;
  }
}

/** Checks one file, or the changed files. */
async function checkAll(path: string | undefined, ctx: ToolContext): Promise<FileDiagnostics[]> {
  if (path !== undefined) return [await ctx.diagnostics.check(path)];
  const paths = (await changedSources(ctx)).slice(0, MAX_FILES);
  const files: FileDiagnostics[] = [];
  // Several together, as a server checks them in hardly more time than one.
  for (let start = 0; start < paths.length; start += FILES_AT_ONCE) {
    const answers = await Promise.all(paths.slice(start, start + FILES_AT_ONCE).map(async (changed) => await checkIfPossible(changed, ctx)));
    files.push(...answers.filter((answer) => answer !== undefined));
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Maximum number of files to name that were not checked. */
const MAX_UNCHECKED = 3;

/** The changed files that were not checked, in one note for each reason; for files that no server knows, without what it knows. */
function unchecked(files: readonly FileDiagnostics[]): string[] {
  const reasons = Map.groupBy(files, ({ note }) => note.replace(/, only for \..*$/u, ''));
  return Array.from(reasons, ([reason, same]) => {
    const more = same.length - MAX_UNCHECKED;
    const named = same.slice(0, MAX_UNCHECKED).map((file) => file.path);
    return `Not checked: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} (${reason.replace(/\.$/u, '')}).`;
  });
}

export const diagnosticsTool = defineTool({
  name: 'diagnostics',
  title: 'Diagnose code',
  description:
    'Errors and warnings that the language server has for a file, or for the files changed in this session. As the files are now on disk; not a build or a test.',
  effects: 'read',
  idempotent: true,
  input: () =>
    z.strictObject({
      path: fields.path.optional(),
      severity: z.enum(SEVERITIES).default('warning').describe('The least that is shown'),
      limit: z.int().min(1).max(1_000).default(100).describe('How many'),
    }),
  output: () =>
    z.strictObject({
      files: z.array(z.strictObject({ path: z.string(), status: z.enum(['checked', 'unanswered', 'unavailable']), note: z.string() })),
      diagnostics: z.array(
        z.strictObject({
          path: z.string(),
          line: z.int(),
          column: z.int(),
          severity: z.enum(SEVERITIES),
          code: z.string(),
          message: z.string(),
        }),
      ),
      /** Totals of everything that was found, shown or not. */
      counts: z.strictObject({ error: z.int(), warning: z.int(), information: z.int(), hint: z.int() }),
      truncated: z.boolean(),
    }),
  aliases: { fields: { ...fields.folderAliases, paths: 'path' }, ignored: fields.remarks },
  otherNames: ['get_errors', 'get_diagnostics', 'problems', 'lint_file', 'check', 'typecheck', 'read_lints'],
  permission: ({ path }) => [{ action: 'read', resource: path ?? '.' }],
  timeoutMs: 30_000,
  keep: 'head',
  summarize: ({ path }, { counts, files }) =>
    `diagnostics(${path ?? count(files.length, 'changed file')}) → ${count(counts.error, 'error')}, ${count(counts.warning, 'warning')}`,
  async execute({ path, severity, limit }, ctx) {
    const files = await checkAll(path, ctx);
    const all = files.flatMap((file) => file.findings.map((finding) => ({ path: file.path, ...finding })));
    const counted = (one: Severity): number => all.filter((finding) => finding.severity === one).length;
    const wanted = all.filter((finding) => isAtLeast(finding.severity, severity));
    const shown = wanted.slice(0, limit);
    const counts = { error: counted('error'), warning: counted('warning'), information: counted('information'), hint: counted('hint') };
    const total = SEVERITIES.filter((one) => counts[one] > 0).map((one) => count(counts[one], one, one === 'information' ? one : `${one}s`));
    const of = (status: FileDiagnostics['status']): FileDiagnostics[] => files.filter((file) => file.status === status);
    const notes = [
      files.length === 0 ? 'No file was changed by calls of this session. Give the path of one.' : undefined,
      of('checked').length === 0
        ? undefined
        : `${count(of('checked').length, 'file')} checked by ${[...new Set(of('checked').map(({ note }) => note))].join(', ')}: ${total.join(', ') || 'nothing found'}.`,
      wanted.length > shown.length
        ? `${count(wanted.length - shown.length, 'more', 'more')}: raise limit${path === undefined ? ', or give a path' : ''}.`
        : undefined,
      ...files
        .filter(({ findings }) => findings.length >= MAX_FINDINGS)
        .map((file) => `Of ${file.path}, only the worst ${MAX_FINDINGS.toLocaleString('en')} are counted; there may be more.`),
      all.length > wanted.length ? `Less severe ones are left out: "severity": "hint" shows all.` : undefined,
      ...of('unanswered').map((file) => `${file.path} is not known to be right or wrong: ${file.note}. Repeat the call.`),
      ...(path === undefined ? [...unchecked(of('unavailable'))] : of('unavailable').map((file) => `${file.path} was not checked: ${file.note}`)),
      path === undefined && of('checked').length > 0
        ? 'Other files, which may use these, were not checked: a build or the tests do that.'
        : undefined,
    ].filter((line) => line !== undefined);
    return {
      data: {
        files: files.map(({ path: name, status, note }) => ({ path: name, status, note })),
        diagnostics: shown,
        counts,
        truncated: wanted.length > shown.length,
      },
      content: shown
        .map((one) => `${one.path}:${one.line}:${one.column} ${one.severity}${one.code === '' ? '' : ` ${one.code}`} ${one.message}\n`)
        .join(''),
      note: notes.join(' '),
    };
  },
});
