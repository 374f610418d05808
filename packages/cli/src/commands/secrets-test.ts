import { defaultStateFolder, SECRET_KINDS, SecretStore, trySecret, verifyingByMachine } from '@synapse/hands/internal';
import { ERROR_CODES, SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { text } from '../command/option.ts';
import { json } from '../command/shared-options.ts';
import { columns } from '../output/columns.ts';
import { printJson } from '../output/print-json.ts';

/** What the answer of a server means. */
const MEANS = { yes: 'accepted', no: 'refused', unknown: 'says nothing about the secret; try another --path' } as const;

export const command = defineCommand({
  details: 'Sends one GET request with the secret to its first host, or to each, and shows the status. Follows no redirect.',
  arguments: { '<name>': 'its name in `synapse secrets`, or the word it was added with' },
  options: { path: text('<path>', 'what to request (default: / or what the service is known to answer)'), json },
  examples: [
    ['synapse secrets test github', 'asks api.github.com who you are'],
    ['synapse secrets test DEPLOY_TOKEN --path /v1/me', 'at a path that needs it'],
  ],
  async run({ arguments: { name: given }, options, out, signal }) {
    const kind = Object.hasOwn(SECRET_KINDS, given) ? SECRET_KINDS[given] : Object.values(SECRET_KINDS).find(({ name }) => name === given);
    const name = kind?.name ?? given;
    const secret = (await new SecretStore(defaultStateFolder()).list()).find((one) => one.name === name);
    if (secret === undefined) throw new SynapseError('not_found', `Secret not found: ${name.slice(0, 80)}`, { hint: 'synapse secrets lists them.' });
    const isKind = kind !== undefined && secret.places[0]?.host === kind.places[0]?.host;
    const path = options.path ?? (isKind ? kind.test : '/');
    if (!/^\/[\x21-\x7e]*$/u.test(path))
      throw new SynapseError('invalid_arguments', '--path must begin with / and have no spaces.', { hint: 'Write --path /v1/me.' });
    // The path of a known service is one of its first host.
    const places = isKind ? secret.places.slice(0, 1) : secret.places;
    const trials = [];
    for (const place of places) trials.push(await trySecret(secret, place, path, { signal, verifying: verifyingByMachine }));
    if (options.json) printJson(out, { name, trials });
    else out.write(columns(trials.map(({ place, status, accepted }) => [place, path, String(status), MEANS[accepted]])));
    return trials.some(({ accepted }) => accepted === 'no') ? ERROR_CODES.tool_failed.exitCode : 0;
  },
});
