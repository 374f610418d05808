import type { FileBuffers } from '@synapse/hands';
import type { PermissionQuestion } from './permission-question.ts';
import type { Shown } from './shown.ts';

/** An editor that a session talks to, in its version of the protocol. */
export interface Face {
  show(sessionId: string, shown: Shown): Promise<void>;
  /**
   * Asks the person. The signal withdraws the question.
   *
   * @returns the id of the chosen option; undefined for none
   */
  ask(sessionId: string, question: PermissionQuestion, signal: AbortSignal): Promise<string | undefined>;
  /**
   * The unsaved texts, if the editor tells them.
   *
   * @param nameOf the path of a file as the editor names it
   */
  buffers(sessionId: string, nameOf: (path: string) => string): FileBuffers | undefined;
}
