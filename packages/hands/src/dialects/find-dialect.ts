import { SynapseError } from '@synapse/protocol';
import { nearest } from '../text/nearest.ts';
import { anthropic } from './anthropic.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import type { Dialect } from './dialect.ts';
import { geminiCli } from './gemini-cli.ts';
import { localCli } from './local-cli.ts';
import { openai } from './openai.ts';
import { opencode } from './opencode.ts';
import { ouroboros } from './ouroboros.ts';
import { ronin } from './ronin.ts';
import { synapseReadonly } from './synapse-readonly.ts';
import { synapse } from './synapse.ts';
import { synapsis } from './synapsis.ts';

/** All dialects: first the systems that Synapse unites, then the tool formats that models were trained on. */
export const DIALECTS: readonly Dialect[] = [
  synapseReadonly,
  synapse,
  synapsis,
  ronin,
  localCli,
  ouroboros,
  anthropic,
  openai,
  claudeCode,
  codex,
  geminiCli,
  opencode,
];

/** @throws SynapseError `invalid_arguments` for an unknown name, with the list of dialects */
export function findDialect(name: string): Dialect {
  const found = DIALECTS.find((dialect) => dialect.name === name);
  if (found !== undefined) return found;
  const names = DIALECTS.map((dialect) => dialect.name);
  // Programs without types may pass anything.
  const given: unknown = name;
  const near = typeof given === 'string' ? nearest(given, names) : [];
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, 40)) : typeof given;
  throw new SynapseError('invalid_arguments', `Unknown dialect: ${shown}`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}The dialects are: ${names.join(', ')}.`,
    details: { nearest: near },
  });
}
