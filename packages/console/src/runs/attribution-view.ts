import { auditedCalls, checkAttribution, parseReport, seenInEither, sessionCalls, type AgentSession } from '@synapse/brain';
import type { ConsoleAttribution } from '@synapse/protocol/console';

/** Returns a report without its front matter, and its attribution checked against the audit log. */
export async function attributedReport(
  markdown: string,
  { stateFolder, root, session }: { readonly stateFolder: string; readonly root: string; readonly session: Pick<AgentSession, 'id' | 'messages'> },
): Promise<{ readonly text: string; readonly attribution?: ConsoleAttribution }> {
  const { attribution, body, source } = await parseReport(markdown);
  if (source === 'none') return { text: body };
  const { unreadFiles, uncalledTools } = checkAttribution(
    attribution,
    seenInEither(sessionCalls(session.messages), auditedCalls(stateFolder, root, session.id)),
    root,
  );
  return {
    text: body,
    attribution: {
      files: attribution.files_read.map((path) => ({ path, read: !unreadFiles.includes(path) })),
      tools: Object.entries(attribution.tool_calls).map(([tool, calls]) => ({ tool, calls, made: !uncalledTools.includes(tool) })),
      confidence: attribution.confidence,
    },
  };
}
