/**
 * The built-in brain of Synapse: reasoning protocols, and Project Resurrection without a model.
 *
 * @example
 * import { createHands } from '@synapse/hands';
 * import { resurrect } from '@synapse/brain';
 * await using hands = await createHands({ workspace: '.' });
 * console.log((await resurrect(hands)).report);
 * @module
 */
export { PROJECT_RESURRECTION } from './protocols/project-resurrection.ts';
export type { ResurrectionStepId } from './protocols/project-resurrection.ts';
export { protocolPrompt } from './protocols/protocol-prompt.ts';
export type { ProtocolStep, ReasoningProtocol } from './protocols/reasoning-protocol.ts';
export { resurrect } from './resurrect/resurrect.ts';
export type { Resurrection, ResurrectOptions, StepEvent } from './resurrect/resurrect.ts';
export { parseReport } from './report/parse-report.ts';
export type { ParsedReport } from './report/parse-report.ts';
export { Attribution, Confidence } from './report/attribution.ts';
