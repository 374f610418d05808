import { canonicalJson, defaultStateFolder, Receipts } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { flag, parsed, text } from '../command/option.ts';
import { workspace } from '../command/shared-options.ts';
import { visibleJson } from '../output/visible-text.ts';

const FORMATS = ['json', 'in-toto'] as const;
const FORMAT = { expects: FORMATS.join(' or '), parse: (given: string) => FORMATS.find((one) => one === given) };

export const command = defineCommand({
  details: 'What a command was, how it ended, and the hash of the files it could read: signed, without their content, and for anyone to verify.',
  arguments: { '[call]': 'the id of a call as `synapse log --json` shows it, or its beginning' },
  options: {
    workspace,
    branch,
    format: parsed('<format>', 'json (canonical, RFC 8785) or in-toto (in a DSSE envelope)', FORMAT),
    for: text('<revision>', 'the receipts that are valid for a commit: HEAD'),
    markdown: flag('with --for: as a block for a pull request'),
    note: flag('with --for: write them as the git note synapse of the commit'),
  },
  examples: [
    ['synapse receipt 3f2a91c0 > receipt.json', 'the receipt of a call'],
    ['synapse receipt --for HEAD --markdown', 'what ran on this commit, for a pull request'],
  ],
  async run(context) {
    const { arguments: words, options, out } = context;
    if (options.for !== undefined) {
      if (words.call !== undefined) throw new SynapseError('invalid_arguments', 'Give a call or --for, not both.');
      const { printForCommit } = await import('../receipts/print-for-commit.ts');
      return await printForCommit(context, options.for);
    }
    if (options.note) throw new SynapseError('invalid_arguments', '--note needs a commit.', { hint: 'synapse receipt --for HEAD --note' });
    if (words.call === undefined) {
      throw new SynapseError('invalid_arguments', 'No call was given.', { hint: 'synapse receipts lists the calls that have a receipt.' });
    }
    using receipts = new Receipts(options.workspace ?? '.', defaultStateFolder());
    const call = receipts.call(words.call);
    const written = canonicalJson(options.format === 'in-toto' ? receipts.attestation(call) : receipts.receipt(call));
    // What is invisible in a name must not change a terminal; a file gets the exact bytes.
    out.write(`${out.isTerminal ? visibleJson(written) : written}\n`);
    return 0;
  },
});
