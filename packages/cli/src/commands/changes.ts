import { withoutGitData } from '@synapse/hands/internal';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { json, session, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { refuseLocalOptions, remote } from '../remote/remote-options.ts';
import { printJson } from '../output/print-json.ts';
import { showChange } from '../output/show-change.ts';

export const command = defineCommand({
  details: 'Summarized by file: a change that was reverted does not show. Commands that ran live are not covered.',
  arguments: { '[call]': 'the id of one call (default: all that can be undone)' },
  options: { workspace, branch, session, json, remote },
  examples: [
    ['synapse changes', 'everything that was not undone'],
    ['synapse changes --session 5f1c', 'of one session'],
    ['synapse changes --remote ws://127.0.0.1:7412#laptop', 'on another machine: which files, without diffs'],
  ],
  async run(context) {
    const {
      arguments: { call },
      options,
      out,
      err,
    } = context;
    if (options.remote !== undefined) refuseLocalOptions({ workspace }, options);
    await using hands =
      options.remote === undefined
        ? await openHands({ workspace: options.workspace }, context)
        : await (await import('../remote/open-far-hands.ts')).connectFarAway(options.remote, { err });
    const found = await hands.changes({
      ...(call === undefined ? {} : { call }),
      ...(options.session === undefined ? {} : { session: options.session }),
    });
    if (options.json) printJson(out, { changes: found });
    else {
      const { changes, repositories } = withoutGitData({ changes: found, repositories: [] });
      for (const change of changes) showChange(out, change);
      for (const line of repositories) out.write(`${line}\n`, 'dim');
    }
    if (!options.json && found.length === 0)
      err.write('No call changed a file, or all of it was undone. Commands that ran live are not covered.\n', 'dim');
    return 0;
  },
});
