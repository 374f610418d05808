import { readFile, stat } from 'node:fs/promises';
import { readSessionFile, SessionStore } from '@synapse/brain';
import { defaultStateFolder } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { trackedRoot } from '../hands/workspace-root.ts';
import { printJson } from '../output/print-json.ts';

/** Maximum bytes of a file. */
const MAX_BYTES = 256 * 1024 * 1024;

async function readWhole(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw new SynapseError('not_found', `File not found: ${file}`);
  if (!found.isFile()) throw new SynapseError('wrong_type', `Not a regular file: ${file}`);
  if (found.size > MAX_BYTES) throw new SynapseError('too_large', `The file is larger than ${MAX_BYTES} bytes: ${file}`);
  return await readFile(file, 'utf8');
}

export const command = defineCommand({
  details: 'The file is from `synapse sessions export`, also of another machine. The session can be shown and replayed here, and not continued.',
  arguments: { '<file>': 'the file, as JSON Lines' },
  options: { workspace, json },
  examples: [['synapse sessions import session.jsonl -w .', 'for the repository in this folder']],
  async run({ arguments: { file }, options, out, err }) {
    const read = readSessionFile(await readWhole(file));
    const root = trackedRoot(options.workspace, err);
    using store = SessionStore.open(defaultStateFolder());
    const session = store.import(read, root);
    if (options.json) printJson(out, session);
    else out.write(`${session.id}\n`);
    err.write(`To run its calls again here: synapse replay ${session.id}\n`, 'dim');
    return 0;
  },
});
