import type { CodeSession } from '../lsp/code-servers.ts';
import { readFindings, type Finding } from '../lsp/finding.ts';
import { wordPattern } from '../syntax/read-uses.ts';
import type { EditedFile } from './edited-file.ts';

/** Maximum number of files that are checked. */
const MAX_FILES = 40;

/** The edited files that had the new name before: there it may collide. */
export function filesWith(to: string, edited: readonly EditedFile[]): EditedFile[] {
  return edited.filter(({ source }) => wordPattern(to).test(source.text)).slice(0, MAX_FILES);
}

/** The errors of open files by path; empty where the server tells them only by itself. */
export async function errorsOf(session: CodeSession, files: readonly EditedFile[], root: string): Promise<Map<string, Finding[]>> {
  const errors = new Map<string, Finding[]>();
  if (!session.offers('diagnosticProvider')) return errors;
  for (const { source } of files) {
    if (source.serverPath === undefined) continue;
    const report: unknown = await session.about('textDocument/diagnostic', source.serverPath);
    const found = readFindings(Object(report).items, root);
    errors.set(
      source.path,
      found.filter(({ severity }) => severity === 'error'),
    );
  }
  return errors;
}

/** The places of errors that were not there before, by the number of each kind: their texts have the name, and their columns move. */
export function newErrors(before: ReadonlyMap<string, readonly Finding[]>, after: ReadonlyMap<string, readonly Finding[]>): string[] {
  const places: string[] = [];
  for (const [path, findings] of after) {
    const old = Map.groupBy(before.get(path) ?? [], ({ code }) => code);
    for (const [code, now] of Map.groupBy(findings, (one) => one.code)) {
      const line = now.find((one) => !(old.get(code) ?? []).some((other) => other.line === one.line))?.line ?? now[0]?.line;
      if (now.length > (old.get(code)?.length ?? 0)) places.push(`${path}:${line}`);
    }
  }
  return places;
}
