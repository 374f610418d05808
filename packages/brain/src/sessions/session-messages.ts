import * as z from 'zod';

const Text = z.object({ type: z.literal('text'), text: z.string() });
const ToolCall = z.object({ type: z.literal('tool-call'), toolCallId: z.string(), toolName: z.string(), input: z.unknown() });

/** What a model saw of a call. An image stays as it is, so that it can be compared. */
const Output = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), value: z.string() }),
  z.object({ type: z.literal('error-text'), value: z.string() }),
  z.object({
    type: z.literal('content'),
    value: z.array(
      z.discriminatedUnion('type', [
        Text,
        z.object({ type: z.literal('file'), mediaType: z.string(), data: z.object({ type: z.literal('data'), data: z.string() }) }),
      ]),
    ),
  }),
]);
const ToolResult = z.object({ type: z.literal('tool-result'), toolCallId: z.string(), toolName: z.string(), output: Output });

/** Keeps the parts of a message that are known: attached files and what only its provider understands are left out. */
const known = <Part extends z.ZodType>(part: Part) =>
  z.array(z.object({ type: z.string() }).loose()).transform((parts, context): z.output<Part>[] =>
    parts.flatMap((one) => {
      const read = part.safeParse(one);
      if (read.success) return [read.data];
      if (KEPT.has(one.type)) context.addIssue({ code: 'custom', message: `a part of the type ${one.type.slice(0, 40)} is not as it should be` });
      return [];
    }),
  );
const KEPT: ReadonlySet<string> = new Set(['text', 'tool-call', 'tool-result']);

/** A message of a session in a file. It is from another machine, so nothing of it is trusted. */
export const SessionMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: known(Text) }),
  z.object({ role: z.literal('assistant'), content: known(z.discriminatedUnion('type', [Text, ToolCall])) }),
  z.object({ role: z.literal('tool'), content: known(ToolResult) }),
]);
