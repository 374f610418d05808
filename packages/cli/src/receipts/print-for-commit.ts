import { count, defaultStateFolder, type NewestReceipt, Receipts } from '@synapse/hands/internal';
import { ERROR_CODES, SynapseError } from '@synapse/protocol';
import { openHands, type OpeningIo } from '../hands/open-hands.ts';
import { columns } from '../output/columns.ts';
import type { Output } from '../output/output.ts';
import { inLine, visibleText } from '../output/visible-text.ts';

interface Printing extends OpeningIo {
  readonly options: { readonly workspace: string | undefined; readonly markdown: boolean; readonly note: boolean };
  readonly out: Output;
  readonly err: Output;
  readonly signal: AbortSignal;
}

/** What a commit is, and what of the files is not in it. */
interface Commit {
  readonly hash: string;
  /** Files that differ from it. */
  readonly different: readonly string[];
}

/** Finds the commit that is checked out, and checks that it is the one that is meant. */
async function findCommit(revision: string, { options, signal, ...io }: Printing): Promise<Commit> {
  await using hands = await openHands({ workspace: options.workspace }, { ...io, signal });
  const [head, meant, status] = await Promise.all([
    hands.call('git_log', { limit: 1 }, { signal }),
    hands.call('git_log', { limit: 1, revision }, { signal }),
    hands.call('git_status', {}, { signal }),
  ]);
  const failed = [head, meant, status].find(({ ok }) => !ok);
  if (failed?.ok === false) {
    const { code, message, hint } = failed.error;
    throw new SynapseError(code, message, hint === undefined ? {} : { hint });
  }
  if (!head.ok || !meant.ok || !status.ok) throw new SynapseError('internal', 'The commit could not be read.');
  const [commit, other] = [head.data.commits[0], meant.data.commits[0]];
  if (commit === undefined || other === undefined) throw new SynapseError('not_found', `Commit not found: ${revision.slice(0, 64)}`);
  if (commit.sha !== other.sha) {
    throw new SynapseError('conflict', `${revision.slice(0, 64)} is not the commit that is checked out: receipts are compared with the files.`, {
      hint: 'Check it out first, or use --for HEAD.',
    });
  }
  const { staged, unstaged, untracked, conflicted } = status.data;
  return {
    hash: commit.sha,
    different: [...new Set([...[...staged, ...unstaged, ...conflicted].map(({ path }) => path), ...untracked])],
  };
}

const ID_CHARACTERS = 8;
const COMMIT_CHARACTERS = 12;
/** Number of files to name. */
const MAX_NAMED = 5;

/** Maximum number of commands in the block: a comment of a pull request has at most 64 kB. */
const MAX_ROWS = 50;
/** Maximum number of characters of a command, or of a path. */
const MAX_SHOWN = 200;

/** Text as code of Markdown, also in a table: a name with markup stays a name, and mentions no person. */
function code(text: string): string {
  const line = visibleText(inLine(text));
  const short = line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN).toWellFormed()}…` : line;
  // Within code, nothing but these ends it; a comment in it must not end the block for a program.
  return `\`${short
    .replaceAll('`', "'")
    .replaceAll('<!--', '<! --')
    .replaceAll('|', String.raw`\|`)}\``;
}

function outcome({ exit_code: code }: NewestReceipt): string {
  if (code === 0) return 'passed';
  return code === null ? 'ended by a signal' : `failed (exit code ${code})`;
}

const list = (paths: readonly string[], shown: (path: string) => string): string =>
  paths.slice(0, MAX_NAMED).map(shown).join(', ') + (paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '');

/** The block of a pull request. */
export function markdownBlock({ hash, different }: Commit, receipts: readonly NewestReceipt[], key: string): string {
  const rows = receipts
    .slice(0, MAX_ROWS)
    .map((one) => `| ${code(one.command)} | ${outcome(one)} | ${(one.duration_ms / 1000).toFixed(1)} s | \`${one.call.slice(0, ID_CHARACTERS)}\` |`);
  const table =
    rows.length === 0 ? ['No command ran on these files.'] : ['| command | result | time | receipt |', '| --- | --- | --- | --- |', ...rows];
  return [
    '<!-- synapse receipts -->',
    `**Ran on ${hash.slice(0, COMMIT_CHARACTERS)}** (signed by Synapse, key \`${key}\`)`,
    '',
    ...table,
    ...(receipts.length > MAX_ROWS ? ['', `And ${receipts.length - MAX_ROWS} further commands.`] : []),
    ...(different.length === 0 ? [] : ['', `These files differ from the commit: ${list(different, code)}.`]),
    '<!-- /synapse receipts -->',
    '',
  ].join('\n');
}

/** Prints the receipts that are valid for the commit that is checked out. */
export async function printForCommit(printing: Printing, revision: string): Promise<number> {
  const { options, out, err } = printing;
  const commit = await findCommit(revision, printing);
  using receipts = new Receipts(options.workspace ?? '.', defaultStateFolder());
  const valid = await receipts.validNow();
  if (options.note) return await note(commit, valid, receipts, printing);
  if (options.markdown) out.write(markdownBlock(commit, valid, receipts.key()));
  else {
    if (valid.length > 0) out.write(columns(valid.map((one) => [one.call.slice(0, ID_CHARACTERS), outcome(one), inLine(one.command)])));
    else err.write('No command ran on these files.\n', 'dim');
    if (commit.different.length > 0) err.write(`These files differ from the commit: ${list(commit.different, inLine)}.\n`, 'yellow');
  }
  return commit.different.length === 0 ? 0 : ERROR_CODES.conflict.exitCode;
}

/** Writes the git note of a commit. */
async function note(commit: Commit, valid: readonly NewestReceipt[], receipts: Receipts, printing: Printing): Promise<number> {
  const { options, err, out: _, ...io } = printing;
  if (commit.different.length > 0) {
    throw new SynapseError('conflict', `These files differ from the commit: ${list(commit.different, inLine)}.`, {
      hint: 'Receipts of other files would not be valid for it. Commit or remove them, and run the commands again.',
    });
  }
  const { writeNote } = await import('./write-note.ts');
  const written = await writeNote(commit.hash, valid, receipts, { ...io, err, workspace: options.workspace });
  err.write(
    `${count(written, 'receipt')} in the note synapse of ${commit.hash.slice(0, COMMIT_CHARACTERS)}. To share it: git push origin refs/notes/synapse\n`,
  );
  return 0;
}
