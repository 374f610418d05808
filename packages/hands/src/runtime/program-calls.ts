import { approverOf } from '../approval/approver-of.ts';
import type { RunningCall } from '../call/call.ts';
import type { ProgramCalls } from '../tool/tool-context.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { ChangesAsOne } from './changes-as-one.ts';
import { programCall, programProblem, QueuedApprover, type ProgramParts } from './program-call.ts';
import { helpFor } from './program-help.ts';

/** The calls of the programs of one call. */
export function programCalls(parts: ProgramParts, call: RunningCall, workspace: Workspace): ProgramCalls {
  const { runtime } = parts;
  return {
    describe(text = '') {
      const { options } = programCall(call, '', {});
      const isCallable = ({ name }: AnyTool): boolean => programProblem(runtime, { name, input: {}, options }) === undefined;
      const listed = runtime.registry.list().filter(isCallable);
      const isListed = new Set(listed);
      const unlisted = runtime.registry.all().filter((tool) => !isListed.has(tool) && isCallable(tool));
      return helpFor({ listed, unlisted }, text);
    },
    begin() {
      const person = approverOf(call.options.approver, runtime.authorizer.approver);
      return new ChangesAsOne({ ...parts, call, workspace, approver: person === undefined ? undefined : new QueuedApprover(call, person) });
    },
  };
}
