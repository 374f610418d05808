import * as z from 'zod';
import type { CodeSession } from '../lsp/code-servers.ts';

const PROVIDER = 'semanticTokensProvider';
const legend = z.object({ legend: z.object({ tokenTypes: z.array(z.string()).max(1_000) }) });
const answer = z.object({ data: z.array(z.int().min(0)).max(5_000_000) });
/** Numbers of each token: lines and columns after the last one, its length, its type, and more about it. */
const NUMBERS = 5;

/**
 * The lines of a file, from 1, whose code the preprocessor drops. clangd marks each as a comment, and no real comment. What it says of a name there is a
 * guess by the nearest place with that name.
 */
export async function inactiveLines(session: Pick<CodeSession, 'capability' | 'about'>, path: string): Promise<ReadonlySet<number>> {
  const lines = new Set<number>();
  const types = legend.safeParse(session.capability(PROVIDER)).data?.legend.tokenTypes;
  if (types === undefined) return lines;
  const tokens = answer.safeParse(await session.about('textDocument/semanticTokens/full', path)).data?.data ?? [];
  let line = 1;
  for (let at = 0; at + NUMBERS <= tokens.length; at += NUMBERS) {
    line += tokens[at] ?? 0;
    if (types[tokens[at + 3] ?? -1] === 'comment') lines.add(line);
  }
  return lines;
}
