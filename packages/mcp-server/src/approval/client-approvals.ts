import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server';
import type { CallApproval } from './call-approval.ts';
import { askInCall } from './ask-in-call.ts';
import * as z from 'zod';
import type { RetryApprovals } from './ask-by-retry.ts';

/** Of a client that cannot ask anybody. */
export const NOBODY: CallApproval = { options: {}, question: async () => undefined };
/** The first protocol in which a call is made again with the answers to its questions. */
const RETRY_SINCE = '2026-07-28';

const CAPABILITIES = z.object({ elicitation: z.looseObject({ form: z.unknown(), url: z.unknown() }).partial() });
const ENVELOPE = z.object({ [CLIENT_CAPABILITIES_META_KEY]: CAPABILITIES });

/** A client that says no more than that it can ask, can ask with a form. */
function asksWithForms(capabilities: unknown): boolean {
  const { data } = CAPABILITIES.safeParse(capabilities);
  return data !== undefined && (data.elicitation.form !== undefined || data.elicitation.url === undefined);
}

/** Worked out once for what a client said; one that says hello again says it anew. */
const sessions = new WeakMap<object, CallApproval>();

/**
 * How a client of the 2025 protocols can be asked about its calls: it said once, when it came, what it can do.
 * Undefined before that, and for a client of a later protocol, which says so with every request.
 */
export function sessionApproval(server: Server): CallApproval | undefined {
  const version = server.getNegotiatedProtocolVersion();
  if (version === undefined || version >= RETRY_SINCE) return undefined;
  const capabilities = server.getClientCapabilities();
  if (capabilities === undefined) return NOBODY;
  let approval = sessions.get(capabilities);
  if (approval === undefined) {
    approval = asksWithForms(capabilities) ? { ...NOBODY, options: { approver: askInCall(server) } } : NOBODY;
    sessions.set(capabilities, approval);
  }
  return approval;
}

/** How the client of a server can be asked about a call that came through the SDK. */
export async function callApproval(server: Server, retries: RetryApprovals, context: ServerContext): Promise<CallApproval> {
  const version = server.getNegotiatedProtocolVersion();
  if (version !== undefined && version >= RETRY_SINCE) {
    const { data } = ENVELOPE.safeParse(context.mcpReq.envelope);
    return asksWithForms(data?.[CLIENT_CAPABILITIES_META_KEY]) ? await retries.round(context) : NOBODY;
  }
  const approval = sessionApproval(server) ?? NOBODY;
  return approval.options.approver === undefined ? approval : { ...approval, options: { approver: askInCall(server, context.mcpReq.id) } };
}
