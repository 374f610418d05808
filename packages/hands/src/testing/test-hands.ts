import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ApprovalRequest } from '../approval/approver.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import type { AnyTool } from '../tool/tool.ts';
import { temporaryHands, type TemporaryHands } from './temporary-hands.ts';

/** Options of hands for a test. */
export interface TestHandsOptions<Tool extends AnyTool = never> extends Omit<HandsOptions<Tool>, 'workspace' | 'approver'> {
  /** Files of the workspace, by relative path. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** The answer to a question. Default: `deny`. */
  readonly answer?: (request: ApprovalRequest) => 'allow' | 'deny';
}

/** Hands on a temporary folder, with an approver controlled by the test. */
export interface TestHands<Tool extends AnyTool = never> extends Omit<TemporaryHands<Tool>, 'outside'> {
  /** The questions so far, in order. */
  readonly asked: readonly ApprovalRequest[];
}

/**
 * Creates a temporary workspace and opens hands on it, for tests of your own tools and rules. Disposing removes the workspace
 * and the state folder, and ends running commands.
 *
 * @example
 * await using test = await createTestHands({ files: { 'a.txt': 'one' }, allow: [], answer: () => 'allow' });
 * await test.hands.call('write_file', { path: 'b.txt', content: 'two' });
 * test.asked.length; // 1
 */
export async function createTestHands<Tool extends AnyTool = never>({
  files = {},
  answer = () => 'deny',
  ...options
}: TestHandsOptions<Tool> = {}): Promise<TestHands<Tool>> {
  const asked: ApprovalRequest[] = [];
  const { outside: _, ...made } = await temporaryHands<Tool>(files, {
    ...options,
    approver: {
      name: 'test',
      ask: async (request) => {
        asked.push(request);
        return answer(request) === 'allow' ? { verdict: 'allow', scope: 'once' } : { verdict: 'deny' };
      },
    },
  });
  return {
    ...made,
    asked,
    async [Symbol.asyncDispose]() {
      await made[Symbol.asyncDispose]();
      await rm(dirname(made.folder), { recursive: true, force: true });
    },
  };
}
