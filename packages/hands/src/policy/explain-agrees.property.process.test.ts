import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { CAPABILITIES } from './capabilities.ts';
import { MODES } from './modes.ts';

/** Names of all kinds: plain, guarded, denied by somebody, outside, absent. Where a link leads is only known by going there. */
const path = fc.constantFrom(
  'a.txt',
  'src/b.txt',
  '.env',
  '.git/config',
  '.vscode/tasks.json',
  'secrets/key',
  '../outside',
  '/etc/hostname',
  'new.txt',
  '.',
  '',
);
const command = fc
  .tuple(
    fc.constantFrom('cat', 'ls', 'echo', 'rm -f', 'git status', 'unknown-tool', 'touch', 'cp a.txt', 'grep -r x'),
    fc.option(path, { nil: '' }),
    fc.constantFrom('', ' && true', ' > out.txt', ' | wc -l'),
  )
  .map((parts) => parts.join(' '));

const call = fc.oneof(
  path.map((name) => ['read_file', { path: name }] as const),
  path.map((name) => ['write_file', { path: name, content: 'x' }] as const),
  path.map((name) => ['delete_file', { path: name }] as const),
  path.map((name) => ['list_directory', { path: name }] as const),
  path.map((name) => ['edit_file', { path: name, edits: [{ old_text: 'x', new_text: 'y' }] }] as const),
  path.map((name) => ['search_text', { path: name, pattern: 'x' }] as const),
  fc.tuple(path, path).map(([from, to]) => ['move_path', { from, to }] as const),
  path.map((name) => ['apply_patch', { patch: `*** Begin Patch\n*** Add File: ${name}\n+x\n*** End Patch\n` }] as const),
  command.map((text) => ['run_command', { command: text }] as const),
);

const rule = fc.constantFrom(
  'read(.env)',
  'read(secrets/**)',
  'write(src/**)',
  'write',
  'exec(cat *)',
  'exec(git status)',
  'exec',
  'write(a.txt)',
  'git_*',
  'write(.vscode/**)',
  'read',
  '*',
);
/** Errors that say nothing about what the call would do. */
const NOT_OF_THE_CALL = new Set(['denied', 'approval_required', 'outside_workspace', 'unavailable', 'internal', 'timeout', 'cancelled', 'busy']);

/** What was explained about a call, and what happened in it. */
interface Called {
  readonly explained: string;
  readonly asked: boolean;
  readonly code: string | undefined;
}

/** The verdict that a call met. */
function verdictMet({ explained, asked, code }: Called): string {
  // A change that would fail anyway asks no question.
  const failed = code !== undefined && !NOT_OF_THE_CALL.has(code);
  if (asked || (explained === 'ask' && failed)) return 'ask';
  if (code === 'denied' || code === 'outside_workspace') return 'deny';
  return code === 'invalid_arguments' && explained === 'invalid' ? 'invalid' : 'allow';
}

const settings = fc.record({
  mode: fc.constantFrom(...MODES),
  allow: fc.array(rule, { maxLength: 3 }),
  ask: fc.array(rule, { maxLength: 1 }),
  deny: fc.array(rule, { maxLength: 2 }),
});

it('says what a call then meets, whatever the rules', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(settings, fc.subarray([...CAPABILITIES]), fc.array(call, { minLength: 1, maxLength: 6 }), async (policy, allow, calls) => {
      const folder = mkdtempSync(join(tmpdir(), 'synapse-explain-'));
      try {
        for (const name of ['workspace', 'state', 'config', 'workspace/src', 'workspace/secrets', 'workspace/.git']) mkdirSync(join(folder, name));
        for (const name of ['a.txt', 'src/b.txt', '.env', 'secrets/key', '.git/config']) writeFileSync(join(folder, 'workspace', name), 'x\n');
        let asked = 0;
        await using hands = await createHands({
          workspace: join(folder, 'workspace'),
          stateFolder: join(folder, 'state'),
          configFolder: join(folder, 'config'),
          policy,
          allow,
          approver: { name: 'recording', ask: async () => ((asked += 1), await Promise.resolve({ verdict: 'deny' as const })) },
        });
        for (const [tool, input] of calls) {
          asked = 0;
          const explanation = await hands.explain(tool, input).catch(() => undefined);
          const explained = explanation?.verdict ?? 'invalid';
          // It runs on a copy, and the question is what it changed there.
          const asksLater = explanation?.runs?.asks === true;
          const result = await hands.call(tool, input);
          const code = result.ok ? undefined : result.error.code;
          const met = verdictMet({ explained, asked: asked > 0, code });
          const verdict = asksLater && met === 'ask' ? explained : met;
          expect({ tool, input, policy, allow, code, verdict }).toEqual({ tool, input, policy, allow, code, verdict: explained });
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: Number(process.env['RUNS'] ?? 40) },
  );
});
