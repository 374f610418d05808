import { execFileSync } from 'node:child_process';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approval/approver.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { temporaryHands } from './temporary-hands.ts';

const FILES = { 'a.txt': 'A\n', '.gitignore': 'dist/\ncoverage/\nnode_modules/\nnotes/\n', 'package.json': '{}\n', 'node_modules/a/index.js': '' };

/** An approver with these answers, and what it was asked. */
export function person(
  ...answers: Array<ApprovalAnswer | ((request: ApprovalRequest) => ApprovalAnswer)>
): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  return {
    name: 'person',
    asked,
    ask: async (request) => {
      asked.push(request);
      const answer = answers.shift() ?? { verdict: 'deny', reason: 'asked too often' };
      return typeof answer === 'function' ? answer(request) : answer;
    },
  };
}

/** Hands on a repository with one commit, which allow nothing unless the options say so. */
export async function openRepository(options: Omit<HandsOptions, 'workspace'> = {}) {
  const at = await temporaryHands(FILES, { allow: [], ...options });
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: at.folder, encoding: 'utf8' });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  return { ...at, git, run: (command: string) => at.hands.call('run_command', { command }), [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

export const yes: ApprovalAnswer = { verdict: 'allow', scope: 'once' };
