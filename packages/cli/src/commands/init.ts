import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defaultStateFolder, openSingleFile } from '@synapse/hands/internal';
import { isSynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { json, workspace, yes } from '../command/shared-options.ts';
import { trackedRoot } from '../hands/workspace-root.ts';
import { MANIFESTS, projectCommands } from '../init/project-commands.ts';
import { textOf } from '../install/configuration-text.ts';
import { inLine } from '../output/visible-text.ts';
import { offerPermissions } from '../permissions/offer-permissions.ts';

/** The mode of the new policy: edits can be reviewed and undone; everything else asks as before. */
const MODE = 'auto-edit';

/** Maximum number of manifests with names of their own: a folder may have thousands of `*.csproj`. */
const MAX_MANIFESTS = 50;

/** The text of a manifest; undefined if it is missing or cannot be read. */
async function manifest(root: string, name: string): Promise<string | undefined> {
  try {
    using file = await openSingleFile(join(root, name), { folder: root, stateFolder: defaultStateFolder() });
    return file.bytes === undefined ? undefined : textOf(file);
  } catch (error) {
    // A folder, a pipe, or a link that leads out of the project.
    if (isSynapseError(error)) return undefined;
    throw error;
  }
}

export const command = defineCommand({
  details:
    'Finds the test, build, lint and format commands in the manifests of the project, and writes .synapse/config.jsonc with rules that allow ' +
    'them. Shows the change and asks. Existing content of the file is kept.',
  options: { workspace, yes, json },
  examples: [
    ['synapse init', 'for the current folder'],
    ['synapse init --yes', 'without a question'],
  ],
  async run(context) {
    const { options, err } = context;
    // `synapse init` names the current folder explicitly.
    const root = trackedRoot(options.workspace ?? '.', err);
    const { detectedCommands, knownManifests } = await import('../init/detected-commands.ts');
    const manifests = new Map<string, string>();
    // Of one kind as reports see it, with any name that it may have: `*.gemspec`, `Makefile.am`.
    for (const name of new Set([...MANIFESTS, ...knownManifests(readdirSync(root)).slice(0, MAX_MANIFESTS)])) {
      const text = await manifest(root, name);
      if (text !== undefined) manifests.set(name, text);
    }
    const found = projectCommands((name) => manifests.get(name), existsSync(join(root, '.git')), await detectedCommands(manifests));
    const allow = found.flatMap(({ commands }) => commands.map((one) => `exec(${one})`));
    return await offerPermissions(
      {
        root,
        added: { mode: MODE, allow },
        facts: { mode: MODE, found },
        tell: (to) => {
          to.write(`Mode ${MODE}: edits in the workspace run without a question; network and what other programs execute still ask.\n`);
          for (const { from, commands } of found) to.write(`  ${inLine(from)}: ${commands.map(inLine).join(' · ')}\n`, 'dim');
          if (found.length === 0) to.write('No manifest with commands was found.\n');
        },
      },
      context,
    );
  },
});
