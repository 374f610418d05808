import { nearest, SECRET_KINDS } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { openSecrets } from '../input/open-secrets.ts';
import { printJson } from '../output/print-json.ts';

export const command = defineCommand({
  details: 'Commands that start from now on do not get it. At its service it stays valid: revoke it there if it may have leaked.',
  arguments: { '<name>': 'its name in `synapse secrets`, or the word it was added with' },
  options: { json },
  examples: [
    ['synapse secrets remove DEPLOY_TOKEN', 'delete it'],
    ['synapse secrets remove github', 'the one that was added with this word'],
  ],
  async run({ arguments: { name: given }, options, out, err, signal }) {
    const store = openSecrets(signal);
    const name = (Object.hasOwn(SECRET_KINDS, given) ? SECRET_KINDS[given]?.name : undefined) ?? given;
    if (!(await store.remove(name))) {
      const names = store.known().map((secret) => secret.name);
      const near = nearest(name, names);
      throw new SynapseError('not_found', `Secret not found: ${name.slice(0, 80)}`, {
        hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'synapse secrets lists them.',
      });
    }
    if (options.json) printJson(out, { removed: name });
    else err.write(`${name} is removed.\n`);
    return 0;
  },
});
