import { blameFile, defaultStateFolder, writerText, type BlamedLine } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { relative, resolve } from 'node:path';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';
import { columns } from '../output/columns.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';

/** A file with lines: `a.ts`, `a.ts:12` or `a.ts:12-20`. */
function parsePlace(given: string): { readonly file: string; readonly from: number; readonly to: number } {
  const [, file, from, to] = /^(.+?):(\d+)(?:-(\d+))?$/u.exec(given) ?? [];
  if (file === undefined) return { file: given, from: 1, to: Number.POSITIVE_INFINITY };
  const range = { from: Number(from), to: Number(to ?? from) };
  if (range.from < 1 || range.to < range.from)
    throw new SynapseError('invalid_arguments', `No such lines: ${given}`, { hint: 'Lines count from 1: src/a.ts:12-20.' });
  return { file, ...range };
}

/** The lines with the model of each session, where Synapse ran it. */
async function withModels(lines: readonly BlamedLine[]): Promise<unknown[]> {
  if (lines.every(({ session }) => session === undefined)) return [...lines];
  const { modelFinder } = await import('../blame/find-model.ts');
  const modelOf = modelFinder();
  return lines.map((line) => {
    const model = line.session === undefined ? undefined : modelOf(line.session);
    return { ...line, ...(model === undefined ? {} : { model }) };
  });
}

export const command = defineCommand({
  details:
    'The call, session and approval behind each line, or a person or another program, or that it was there before. Never a guess: what is not known says so.',
  arguments: { '[file]': 'a file, or some of its lines: src/a.ts:12-20; with --summary a commit or a range: main.. (default: HEAD)' },
  options: { workspace, branch, json, summary: flag('how many lines of a commit or a range each wrote, and the tests that ran on it') },
  examples: [
    ['synapse blame src/a.ts', 'who wrote each line'],
    ['synapse blame src/a.ts:12-20 --json', 'some lines, for programs'],
    ['synapse blame --summary main..', 'lines by agent, by model and by person, since main'],
  ],
  showsRecords: true,
  async run(context) {
    const { arguments: words, options, out } = context;
    if (options.summary) {
      const { printSummary } = await import('../blame/print-summary.ts');
      return await printSummary(context, words.file ?? 'HEAD');
    }
    if (words.file === undefined)
      throw new SynapseError('invalid_arguments', 'No file was given.', { hint: 'Name one, or use --summary for a commit.' });
    const root = workspaceRoot(options.workspace);
    const { file, from, to } = parsePlace(words.file);
    const path = relative(root, resolve(options.workspace ?? '.', file));
    const lines = (await blameFile(root, defaultStateFolder(), path)).filter(({ line }) => line >= from && line <= to);
    if (options.json) printJson(out, { file: path, lines: await withModels(lines) });
    else out.write(columns(lines.map((one) => [String(one.line), writerText(one), inLine(one.text)])));
    return 0;
  },
});
