import type { AnyTool } from '../tool.ts';
import { gitBlame } from './git-blame.ts';
import { gitDiff } from './git-diff.ts';
import { gitLog } from './git-log.ts';
import { gitShow } from './git-show.ts';
import { gitStatus } from './git-status.ts';
import { readFile } from './read-file.ts';

/** The tools of every hands, in the order a model sees them. */
export const CANONICAL_TOOLS: readonly AnyTool[] = [readFile, gitStatus, gitDiff, gitLog, gitShow, gitBlame];
