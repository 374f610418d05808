/**
 * The messages between the web console and its page: the page sends client frames, the console server frames.
 * @module
 */
export {
  ConsoleApproval,
  ConsoleForm,
  ConsoleFormContent,
  ConsoleFormField,
  ConsoleLine,
  ConsoleQuestion,
  ConsoleTrial,
} from './console/approvals.ts';
export type { ConsoleConflict, ConsoleShownConflict } from './console/branches.ts';
export { ConsoleApplied, ConsoleBranch, ConsoleBranchEffect } from './console/branches.ts';
export {
  ConsoleCall,
  ConsoleCallDetail,
  ConsoleCallStatus,
  ConsoleChange,
  ConsoleTimeline,
  ConsoleTimelineCall,
  ConsoleVerdict,
} from './console/calls.ts';
export { ConsoleEvent, ConsoleTopic } from './console/events.ts';
export { ConsoleClientFrame, ConsoleError, ConsoleServerFrame } from './console/frames.ts';
export { ConsoleJob } from './console/jobs.ts';
export { CONSOLE_METHODS, ConsoleToolResult } from './console/methods.ts';
export type { ConsoleMethod, ConsoleParams, ConsoleResult } from './console/methods.ts';
export { ConsoleBlame, ConsoleBlamedLine, ConsolePastCall, ConsolePastChanges, ConsolePastFile, ConsolePastFolder } from './console/past.ts';
export { ConsoleAttribution, ConsoleEntry, ConsoleRun, ConsoleRunStep, ConsoleTranscript } from './console/runs.ts';
export {
  ConsoleCheck,
  ConsoleEffect,
  ConsoleExplanation,
  ConsolePending,
  ConsolePolicy,
  ConsoleProject,
  ConsoleProjectReview,
  ConsoleConfiguredRules,
  ConsoleProposal,
  ConsoleProtocolInfo,
  ConsoleQuarantine,
  ConsoleServer,
  ConsoleSessionChanges,
  ConsoleTool,
  ConsoleUndoPlan,
} from './console/views.ts';
