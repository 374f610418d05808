import type { AnyTool } from '../tool.ts';
import { readFile } from './read-file.ts';
import { runCommand } from './run-command.ts';

/** The tools of every hands, in the order a model sees them. */
export const CANONICAL_TOOLS: readonly AnyTool[] = [readFile, runCommand];
