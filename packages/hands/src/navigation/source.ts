import { SynapseError } from '@synapse/protocol';
import { toTextFile } from '../edit/text-file.ts';
import { grammarFor } from '../syntax/grammar.ts';
import { parseSyntax, type SyntaxFile } from '../syntax/syntax-file.ts';
import { size } from '../text/amounts.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import type { WorkspaceReader } from '../workspace/workspace-reader.ts';

/** Maximum size of a source file, in bytes. Larger files are data. */
const MAX_SOURCE_BYTES = 4 * 1024 * 1024;

/** A source file as it is now on disk. */
export interface SourceFile extends Awaited<ReturnType<typeof toTextFile>> {
  readonly lines: readonly string[];
  /** The path as language servers read it; undefined if it is not UTF-8. */
  readonly serverPath: string | undefined;
}

/** Splits a text into lines. Only what servers and editors agree on ends a line. */
export const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/u);

/** Reads an open file as source. */
export async function readSource(file: OpenFile): Promise<SourceFile> {
  const path = displayPath(file.location);
  if (file.size > MAX_SOURCE_BYTES) {
    throw new SynapseError('too_large', `${path} has ${size(file.size)}; code is read in files of up to ${size(MAX_SOURCE_BYTES)}.`, {
      hint: 'Use search_text, and read_file with offset and limit.',
    });
  }
  const read = await toTextFile(path, await file.read(0, file.size));
  const names = file.location.filter((name) => typeof name === 'string');
  return { ...read, lines: linesOf(read.text), serverPath: names.length < file.location.length ? undefined : names.join('/') };
}

/** Reads a file of the workspace as source. Throws if it may not be read. */
export async function openSource(workspace: WorkspaceReader, path: string): Promise<SourceFile> {
  // Stored output and readable folders outside are no code of the workspace.
  workspace.parse(path);
  using file = workspace.openFile(path);
  return await readSource(file);
}

/** Parses a source file; undefined if no grammar is known, or it is too large or takes too long. */
export async function syntaxOf({ path, text }: Pick<SourceFile, 'path' | 'text'>): Promise<SyntaxFile | undefined> {
  const grammar = grammarFor(path);
  return grammar === undefined ? undefined : await parseSyntax(text, grammar);
}

const unavailable = (message: string): SynapseError =>
  new SynapseError('unavailable', message, { hint: 'Use search_text to find the lines, and read_file with offset and limit.' });

/** The error for a file whose language is not known. */
export const noGrammar = (path: string): SynapseError => unavailable(`No grammar is known for files such as ${path}.`);

/** The syntax of a file that must have one. */
export async function needSyntax(source: Pick<SourceFile, 'path' | 'text'>): Promise<SyntaxFile> {
  const syntax = await syntaxOf(source);
  if (syntax !== undefined) return syntax;
  if (grammarFor(source.path) === undefined) throw noGrammar(source.path);
  throw unavailable(`${source.path} is too large, or takes too long, to find its symbols.`);
}
