import * as z from 'zod';

/** Argument names mean the same in every tool; so do their descriptions, which models read. */
export const path = z.string().describe('Path relative to the workspace');
export const version = z.string().describe('Version that read_file told; refused if the file differs since');
export const hidden = z.boolean().default(false).describe('Include names that begin with a dot');
export const ignore = z.boolean().default(true).describe('Skip what .gitignore names');
export const globs = z
  .union([z.string().min(1), z.array(z.string().min(1)).nonempty()])
  .transform((glob) => (typeof glob === 'string' ? [glob] : glob))
  .describe('Such as **/*.{ts,tsx}; !glob excludes');
export const revision = z.string().describe('Branch, tag, commit id, or an expression such as HEAD~2');

/** Other names of {@link path}. */
export const pathAliases = { file_path: 'path', filePath: 'path', file: 'path' } as const;
