import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { openSingleFile } from '@synapse/hands/internal';
import { importClaudeSettings } from '@synapse/hands/policy';
import { CANONICAL_TOOLS } from '@synapse/hands/tools';
import { SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { json, workspace, yes } from '../command/shared-options.ts';
import { trackedRoot } from '../hands/workspace-root.ts';
import { textOf } from '../install/configuration-text.ts';
import { inLine } from '../output/visible-text.ts';
import { offerPermissions } from '../permissions/offer-permissions.ts';

/** The settings file of Claude Code in a project. */
const DEFAULT_FILE = join('.claude', 'settings.json');

export const command = defineCommand({
  details:
    'Translates the permissions of a Claude Code settings file into rules of .synapse/config.jsonc. Shows the change and asks. What cannot be ' +
    'translated is listed, with the reason.',
  arguments: {
    '<kind>': 'claude',
    '[file]': `the settings file (default: ${DEFAULT_FILE} of the project)`,
  },
  options: { workspace, yes, json },
  examples: [
    ['synapse policy import claude', 'the settings of this project'],
    ['synapse policy import claude ~/.claude/settings.json', 'your own settings, for this project'],
  ],
  async run(context) {
    const { arguments: words, options, err } = context;
    if (words.kind !== 'claude') {
      throw new SynapseError('invalid_arguments', `Settings of this kind are not known: ${words.kind.slice(0, 40)}`, {
        hint: 'Write: synapse policy import claude.',
      });
    }
    const root = trackedRoot(options.workspace ?? '.', err);
    const path = words.file === undefined ? join(root, DEFAULT_FILE) : resolve(words.file.replace(/^~(?=\/)/u, homedir()));
    using file = await openSingleFile(path);
    if (file.bytes === undefined) {
      throw new SynapseError('not_found', `Settings not found: ${path}`, { hint: 'Name the file: synapse policy import claude FILE.' });
    }
    const found = importClaudeSettings(textOf(file), new Set(CANONICAL_TOOLS.map(({ name }) => name)));
    if (typeof found === 'string') throw new SynapseError('invalid_arguments', `${path} cannot be read: ${found}.`);
    const { permissions, left, notices } = found;
    return await offerPermissions(
      {
        root,
        added: permissions,
        facts: { from: file.path, left, notices },
        tell: (to) => {
          for (const notice of notices) to.write(`${inLine(notice)}\n`, 'yellow');
          if (left.length > 0) to.write('Not taken over:\n');
          for (const { text, reason } of left) to.write(`  ${inLine(text)}: ${inLine(reason)}\n`, 'yellow');
        },
      },
      context,
    );
  },
});
