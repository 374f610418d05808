import { approverOf } from '../approval/approver-of.ts';
import type { RunningCall } from '../call/call.ts';
import { describeData, describeInput } from '../tool/describe-input.ts';
import type { ProgramCalls } from '../tool/tool-context.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { ChangesAsOne } from './changes-as-one.ts';
import { programCall, programProblem, QueuedApprover, type ProgramParts } from './program-call.ts';

/** A name without what programs write it with: `hands.readFile` is `read_file`. */
const plain = (name: string): string =>
  name
    .replace(/^hands\./u, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

const listed = (tools: readonly AnyTool[]): string => tools.map(({ name, description }) => `${name}: ${description.split('. ')[0] ?? ''}`).join('\n');

const typed = (tool: AnyTool): string => `${tool.description}\n${describeInput(tool)}\n→ ${describeData(tool)}`;

/** Describes the tool that a text names, however it is written, or that alone is about its words; lists those of which several are. */
function helpFor(tools: readonly AnyTool[], text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return listed(tools);
  const named = tools.find(({ name }) => name === text) ?? tools.find(({ name }) => plain(name) === plain(text));
  if (named !== undefined) return typed(named);
  const about = tools.filter(({ name, description }) => words.some((word) => `${name} ${description}`.toLowerCase().includes(word)));
  const elsewhere = tools.filter(({ otherNames = [] }) => otherNames.some((name) => plain(name) === plain(text)));
  const found = about.length > 0 ? about : elsewhere;
  const [only] = found;
  if (only === undefined) return `No tool is about ${JSON.stringify(text.slice(0, 100))}. The tools are: ${tools.map(({ name }) => name).join(', ')}`;
  return found.length === 1 ? typed(only) : listed(found);
}

/** The calls of the programs of one call. */
export function programCalls(parts: ProgramParts, call: RunningCall, workspace: Workspace): ProgramCalls {
  const { runtime } = parts;
  return {
    describe(text = '') {
      const { options } = programCall(call, '', {});
      const tools = runtime.registry.list().filter(({ name }) => programProblem(runtime, { name, input: {}, options }) === undefined);
      return helpFor(tools, text);
    },
    begin() {
      const person = approverOf(call.options.approver, runtime.authorizer.approver);
      return new ChangesAsOne({ ...parts, call, workspace, approver: person === undefined ? undefined : new QueuedApprover(call, person) });
    },
  };
}
