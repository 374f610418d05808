import { RequestError } from '@agentclientprotocol/sdk';
import { toSynapseError, type ErrorCode } from '@synapse/protocol';

const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;

/** Codes of failures that the client caused. Synapse's own numbers for JSON-RPC have other meanings in ACP. */
const CLIENT: ReadonlySet<ErrorCode> = new Set(['invalid_arguments', 'not_found', 'denied', 'outside_workspace', 'conflict', 'wrong_type']);

/** A failure as an answer. Editors show only the message, so it contains what to do next. */
export function acpError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const { code, message, hint, retryable } = toSynapseError(error);
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return new RequestError(CLIENT.has(code) ? INVALID_PARAMS : INTERNAL, text, { code, retryable });
}

/** Answers with the error of what fails. */
export const answering =
  <Context, Answer>(work: (context: Context) => Promise<Answer> | Answer) =>
  async (context: Context): Promise<Answer> => {
    try {
      return await work(context);
    } catch (error) {
      throw acpError(error);
    }
  };
