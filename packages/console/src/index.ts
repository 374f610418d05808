/**
 * The web console of Synapse.
 * @module
 */
export { serveConsole } from './http/serve-console.ts';
export type { ConsoleOptions, ServedConsole } from './http/serve-console.ts';
export type { OpenHands } from './project/open-projects.ts';
