import { defineCommand } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { tellSessions } from '../remote/tell-line.ts';

export const command = defineCommand({
  details: 'The same as synapse connect --status.',
  options: { json },
  examples: [
    ['synapse service', 'what is served, and the state of the connection'],
    ['synapse service install wss://relay.example --name laptop', 'serve the current folder from login on'],
  ],
  run: (context) => Promise.resolve(tellSessions(context.options.json, context)),
});
