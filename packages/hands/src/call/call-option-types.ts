/** What the value of an option is: a type, as `typeof` names it, a class, or the words that it may be. */
export type OptionType = 'string' | 'number' | 'boolean' | 'function' | 'object' | 'signal' | 'list' | readonly string[];

/** The type of each option of a call. */
export const CALL_OPTION_TYPES = {
  signal: 'signal',
  onProgress: 'function',
  onOutput: 'function',
  callId: 'string',
  sessionId: 'string',
  stepId: 'string',
  changesOf: 'string',
  mode: 'string',
  approver: 'object',
  approvalTimeoutMs: 'number',
  timeoutMs: 'number',
  limits: 'object',
  readerLimits: 'object',
  parents: 'list',
  mayCall: 'list',
  calledAs: 'string',
  asksFirst: ['none', 'changes', 'all'],
  foreground: 'boolean',
  shell: ['sh'],
  dryRun: 'boolean',
  dryRunFor: ['person', 'agent'],
  inDryRun: 'boolean',
  remote: 'boolean',
} as const satisfies Readonly<Record<string, OptionType>>;
