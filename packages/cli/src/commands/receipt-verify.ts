import { readFileSync, statSync } from 'node:fs';
import { defaultStateFolder, Receipts, type ReceiptState } from '@synapse/hands/internal';
import { ERROR_CODES, SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { defineCommand } from '../command/command.ts';
import { flag, text } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import type { Style } from '../output/output.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';

const { tool_failed: failed, denied } = ERROR_CODES;
const EXIT_CODES: Readonly<Record<ReceiptState, number>> = { valid: 0, stale: failed.exitCode, 'not-this': failed.exitCode, forged: denied.exitCode };
const STYLES: Readonly<Record<ReceiptState, Style>> = { valid: 'green', stale: 'yellow', 'not-this': 'yellow', forged: 'red' };
/** Receipts have at most some 100 kB. */
const MAX_BYTES = 4 * 1024 * 1024;

function readReceipt(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true)
    throw new SynapseError('not_found', `File not found: ${file}`, { hint: 'synapse receipt CALL > receipt.json writes one.' });
  if (stat.size > MAX_BYTES) throw new SynapseError('too_large', `${file} is larger than any receipt.`);
  return readFileSync(file, 'utf8');
}

const About = z.object({ command: z.string() });

/** The receipt in a text: alone, or the line of a git note that is about a command. */
function receiptIn(text: string, wanted: string | undefined, file: string): string {
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  if (text.startsWith('{') && lines.length === 1) return text;
  const receipts = wanted === undefined ? lines : lines.filter((line) => commandOf(line) === wanted);
  const [only] = receipts;
  if (lines.length > 1 && receipts.length !== 1) {
    throw new SynapseError('invalid_arguments', `${file} holds ${lines.length} receipts.`, { hint: 'Name the one that is meant with --command.' });
  }
  return only ?? text;
}

function commandOf(line: string): string | undefined {
  try {
    return About.safeParse(JSON.parse(line)).data?.command;
  } catch {
    // No JSON: no receipt either.
    return undefined;
  }
}

export const command = defineCommand({
  details:
    'Says valid, stale (files changed since), not-this (another command or tree), or forged. Needs no network, and elsewhere only the public key.',
  arguments: { '<file>': 'a receipt, its in-toto form, or a git note of which --command names one' },
  options: {
    workspace,
    json,
    key: text('<key>', 'the public key that must have signed it (default: that of this machine)'),
    command: text('<command>', 'the command that it must be about, such as "npm test"'),
    tree: text('<hash>', 'the tree that it must be about', { rare: true }),
    passed: flag('it must be about a command that succeeded'),
  },
  examples: [
    ['synapse receipt verify receipt.json', 'exit code 0: valid, 1: stale or not this, 3: forged'],
    ['synapse receipt verify r.json --key KEY --command "npm test" --passed', 'elsewhere'],
  ],
  async run({ arguments: words, options, out, err }) {
    const given = receiptIn(readReceipt(words.file), options.command, words.file);
    using receipts = new Receipts(options.workspace ?? '.', defaultStateFolder());
    const { key, command: wanted, tree } = options;
    const found = await receipts.verify(given, { key, command: wanted, tree });
    const hasFailed = options.passed && found.state === 'valid' && found.exit_code !== 0;
    const check = hasFailed ? { ...found, state: 'not-this' as const, reason: 'It is about a command that did not succeed.' } : found;
    if (options.json) printJson(out, check);
    else {
      out.write(`${check.state}\n`, STYLES[check.state]);
      err.write(`${inLine(check.reason)}\n`);
      for (const path of check.changed) err.write(`  ${inLine(path)}${check.unread.includes(path) ? '  (the command could not read it)' : ''}\n`);
      for (const note of check.notes) err.write(`${inLine(note)}\n`, 'dim');
    }
    return EXIT_CODES[check.state];
  },
});
