import { ERROR_CODES, SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { openBrowser } from '../programs/open-browser.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';
import { isFine } from '../mcp/mcp-report.ts';

/** How long a person may take in the browser, in milliseconds. */
const LOGIN_MS = 5 * 60_000;

export const command = defineCommand({
  details:
    'Opens the login page of the server in your browser and waits for it, five minutes at most. The tokens are stored in the keychain, or in a file ' +
    'that only you can read, and renewed automatically. A server without client registration needs "oauth": { "clientId": "…" } in its entry.',
  arguments: { '<server>': 'its name, as `synapse mcp list` shows it' },
  options: { workspace, json, print: flag('print the address and open no browser') },
  examples: [
    ['synapse mcp login github', 'log in, in your browser'],
    ['synapse mcp login github --print', 'on a machine without one: open the address through a forwarded port'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    await using hands = await openHands({ workspace: options.workspace }, context, undefined, { connect: 'demand' });
    const ended = AbortSignal.any([signal, AbortSignal.timeout(LOGIN_MS)]);
    const show = (url: string): void => {
      const opened = !options.print && openBrowser(url);
      err.write(`${opened ? 'Waiting for your browser. If it shows nothing, open this address:' : 'Open this address:'}\n${url}\n`);
    };
    const status = await hands.mcp.logIn(words.server, { open: show, signal: ended }).catch((error: unknown) => {
      if (!ended.aborted || signal.aborted) throw error;
      throw new SynapseError('timeout', 'The login was not finished within 5 minutes.', { hint: 'Start it again.' });
    });
    if (options.json) printJson(out, { loggedIn: true, server: status });
    else {
      err.write(`You are logged in to ${status.name}.\n`, 'green');
      err.write(
        `${status.name} is ${status.state}${status.reason === undefined ? `, with ${status.tools.length} of its tools` : `: ${inLine(status.reason)}`}.\n`,
      );
    }
    return isFine(status) ? 0 : ERROR_CODES.tool_failed.exitCode;
  },
});
