import type { AnyTool } from '../tool.ts';
import { findFiles } from './find-files.ts';
import { readFile } from './read-file.ts';
import { searchText } from './search-text.ts';

/** The tools of every hands, in the order a model sees them. */
export const CANONICAL_TOOLS: readonly AnyTool[] = [readFile, searchText, findFiles];
