import type { Permission } from '@synapse/protocol';
import type { CommandEnvironment } from './command-route.ts';
import { decide } from './decide.ts';
import type { PolicyCall } from './decision.ts';
import { MODES, type Mode } from './modes.ts';
import { compilePolicy, type Policy } from './policy.ts';

/** The verdict on a call without a matching rule. */
export type ModeAnswer = 'runs' | 'asks' | 'asks about the changes' | 'refused';

/** The verdict of each mode on one kind of call. */
export interface ModeRow {
  readonly calls: string;
  readonly answers: Readonly<Record<Mode, ModeAnswer>>;
}

const SANDBOX: CommandEnvironment = { sandbox: 'works', transacts: true, network: false };

function toolCall(...permissions: Permission[]): PolicyCall {
  return { tool: 'any', permissions };
}

function commandCall(command: string, machine: Partial<CommandEnvironment> = {}, live?: string): PolicyCall {
  return {
    ...toolCall({ action: 'exec', resource: command }),
    confined: (machine.sandbox ?? 'works') === 'works',
    machine: { ...SANDBOX, ...machine },
    wish: { live: () => live, asksFirst: 'none' },
  };
}

/** One call of each kind. */
const SAMPLES: ReadonlyArray<readonly [calls: string, call: PolicyCall]> = [
  ['read, search, git status and history', toolCall({ action: 'read', resource: 'src/a' })],
  ['a command that only reads', commandCall('git log -5')],
  ['change a file', toolCall({ action: 'write', resource: 'src/a' })],
  ['change installed programs: node_modules, .venv', toolCall({ action: 'write', resource: 'node_modules/a' })],
  ['a command that may change files', commandCall('npm test')],
  ['a command that works live: a server, a job', commandCall('npm test', {}, 'asked for')],
  ['a command where the network is open', commandCall('npm test', { network: true })],
  ['a command without a sandbox', commandCall('npm test', { sandbox: 'missing', transacts: false })],
  ['git push and its like', commandCall('git push')],
  ['fetch a page', toolCall({ action: 'net', resource: 'https://example.com' })],
  ['a tool of an MCP server', toolCall({ action: 'mcp', resource: 'mcp:server:tool' })],
  ['read a secret, such as .env', toolCall({ action: 'read', resource: '.env' })],
  ['a file tool that reads outside the workspace', toolCall({ action: 'read', resource: '/etc/hosts' })],
  ['change what other programs run: .git, .vscode', toolCall({ action: 'write', resource: '.vscode/tasks.json' })],
];

function answerOf(policy: Policy, call: PolicyCall): ModeAnswer {
  const { verdict, deferred, route } = decide(policy, call);
  if (verdict !== 'allow') return verdict === 'ask' ? 'asks' : 'refused';
  if (!deferred || route?.way !== 'transaction') return 'runs';
  return answerOf(policy, toolCall({ action: 'write', resource: 'src/a' })) === 'runs' ? 'runs' : 'asks about the changes';
}

/** Returns the verdicts of each mode without rules, computed by the policy engine. */
export function modeTable(): ModeRow[] {
  const policies = MODES.map((mode) => {
    const source = { layer: 'flags', origin: 'mode', settings: { mode } } as const;
    return [mode, compilePolicy({ sources: [source], tools: new Set(), home: '/home', roots: ['/workspace'] })] as const;
  });
  return SAMPLES.map(([calls, call]) => ({
    calls,
    answers: Object.fromEntries(policies.map(([mode, policy]) => [mode, answerOf(policy, call)])) as Record<Mode, ModeAnswer>,
  }));
}
