import type { AnyTool } from '../tool/tool.ts';
import { applyPatch } from './apply-patch.ts';
import { codeTool } from './code.ts';
import { createDirectory } from './create-directory.ts';
import { deleteDirectory } from './delete-directory.ts';
import { deleteFile } from './delete-file.ts';
import { diagnosticsTool } from './diagnostics.ts';
import { editFile } from './edit-file.ts';
import { fetchUrl } from './fetch-url.ts';
import { fileInfo } from './file-info.ts';
import { findFiles } from './find-files.ts';
import { gitBlame } from './git-blame.ts';
import { gitDiff } from './git-diff.ts';
import { gitLog } from './git-log.ts';
import { gitShow } from './git-show.ts';
import { gitStatus } from './git-status.ts';
import { jobTool } from './job.ts';
import { listDirectory } from './list-directory.ts';
import { movePath } from './move-path.ts';
import { readFile } from './read-file.ts';
import { runCommand } from './run-command.ts';
import { runProgramTool } from './run-program.ts';
import { searchText } from './search-text.ts';
import { writeFile } from './write-file.ts';

/** The built-in tools of all hands, in the order that models see. */
export const CANONICAL_TOOLS = [
  readFile,
  writeFile,
  editFile,
  applyPatch,
  movePath,
  deleteFile,
  createDirectory,
  deleteDirectory,
  listDirectory,
  fileInfo,
  searchText,
  findFiles,
  codeTool,
  gitStatus,
  gitDiff,
  gitLog,
  gitShow,
  gitBlame,
  runCommand,
  jobTool,
  runProgramTool,
  diagnosticsTool,
  fetchUrl,
] as const satisfies readonly AnyTool[];
