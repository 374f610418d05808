import * as z from 'zod';

/** A line with all characters visible; added and removed text is marked as in a diff. */
export const ConsoleLine = z.strictObject({ kind: z.enum(['plain', 'added', 'removed']), text: z.string() });
export type ConsoleLine = z.infer<typeof ConsoleLine>;

/** The result of a command that ran on a copy. */
export const ConsoleTrial = z.strictObject({
  /** Named by an approval, which then applies exactly these changes. */
  fingerprint: z.string(),
  changes: z.array(ConsoleLine),
  output: z.array(ConsoleLine),
  notes: z.array(z.string()),
  completion: z.enum(['ok', 'failed', 'timeout']),
  /** Why these changes cannot be applied. */
  blocked: z.string().optional(),
});
export type ConsoleTrial = z.infer<typeof ConsoleTrial>;

/** A call that waits for approval. */
export const ConsoleApproval = z.strictObject({
  kind: z.literal('call'),
  id: z.string(),
  /** Hash of the tool and arguments: an answer is valid only for these. */
  fingerprint: z.string(),
  /** Milliseconds since 1970. */
  askedAt: z.number(),
  callId: z.string(),
  session: z.string().optional(),
  tool: z.string(),
  project: z.string(),
  /** The origin of the question: this console, or another process. */
  from: z.string(),
  heading: z.string(),
  body: z.array(ConsoleLine),
  effects: z.array(z.string()),
  reason: z.string(),
  /** What the command changed on its copy, if the question is about that. */
  changed: ConsoleTrial.extend({ headline: z.string() }).optional(),
  canTry: z.boolean(),
  /** The exact rules that "always" would save. */
  proposals: z.array(z.strictObject({ rules: z.array(z.string()), covers: z.string(), doesNotCover: z.string() })),
});
export type ConsoleApproval = z.infer<typeof ConsoleApproval>;

const FormValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** A field of a form. */
export const ConsoleFormField = z.strictObject({
  name: z.string(),
  title: z.string(),
  description: z.string().optional(),
  required: z.boolean(),
  kind: z.enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
  options: z.array(z.strictObject({ value: z.string(), label: z.string() })),
  /** Description of valid values. */
  expects: z.string(),
  /** Value used if nothing is entered. */
  default: FormValue.optional(),
});
export type ConsoleFormField = z.infer<typeof ConsoleFormField>;

/** A form of an MCP server that waits for the user. */
export const ConsoleForm = z.strictObject({
  kind: z.literal('form'),
  /** Random; an answer is valid only for this form. */
  id: z.string(),
  askedAt: z.number(),
  tool: z.string(),
  project: z.string(),
  from: z.string(),
  server: z.string(),
  /** The text of the server. */
  message: z.array(z.string()),
  /** A warning of ours about the form. */
  warning: z.string().optional(),
  /** The page to open in a browser, in place of fields. */
  page: z.strictObject({ url: z.string(), host: z.string() }).optional(),
  fields: z.array(ConsoleFormField),
});
export type ConsoleForm = z.infer<typeof ConsoleForm>;

/** A question that waits for the user. */
export const ConsoleQuestion = z.discriminatedUnion('kind', [ConsoleApproval, ConsoleForm]);
export type ConsoleQuestion = z.infer<typeof ConsoleQuestion>;

/** Values entered into a form, by field. */
export const ConsoleFormContent = z.record(z.string().max(100), FormValue);
export type ConsoleFormContent = z.infer<typeof ConsoleFormContent>;
