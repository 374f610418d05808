import { approverOf } from '../approval/approver-of.ts';
import type { RunningCall } from '../call/call.ts';
import { describeData, describeInput } from '../tool/describe-input.ts';
import type { ProgramCalls } from '../tool/tool-context.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { ChangesAsOne } from './changes-as-one.ts';
import { programCall, programProblem, QueuedApprover, type ProgramParts } from './program-call.ts';

/** The tools whose name or description has one of some words; all if there is none. */
function matching(tools: readonly AnyTool[], text: string): readonly AnyTool[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/gu) ?? [];
  const found = tools.filter(({ name, description }) => words.some((word) => `${name} ${description}`.toLowerCase().includes(word)));
  return found.length === 0 ? tools : found;
}

const listed = (tools: readonly AnyTool[]): string => tools.map(({ name, description }) => `${name}: ${description.split('. ')[0] ?? ''}`).join('\n');

/** The calls of the programs of one call. */
export function programCalls(parts: ProgramParts, call: RunningCall, workspace: Workspace): ProgramCalls {
  const { runtime } = parts;
  return {
    describe(text = '') {
      const { options } = programCall(call, '', {});
      const tools = runtime.registry.list().filter(({ name }) => programProblem(runtime, { name, input: {}, options }) === undefined);
      const found = tools.find(({ name }) => name === text);
      return found === undefined ? listed(matching(tools, text)) : `${found.description}\n${describeInput(found)}\n→ ${describeData(found)}`;
    },
    begin() {
      const person = approverOf(call.options.approver, runtime.authorizer.approver);
      return new ChangesAsOne({ ...parts, call, workspace, approver: person === undefined ? undefined : new QueuedApprover(call, person) });
    },
  };
}
