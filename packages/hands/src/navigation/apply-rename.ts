import { SynapseError } from '@synapse/protocol';
import { assertEditableSize, spliceBytes } from '../edit/text-file.ts';
import { contentVersion } from '../workspace/open-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { shownLine } from './find-declarations.ts';
import type { FoundPlace } from './navigation-use.ts';
import type { RenamePlan } from './rename-plan.ts';
import { linesOf } from './source.ts';

/** The line of an offset, from 1. */
const lineAt = (text: string, offset: number): number => linesOf(text.slice(0, offset)).length;

/** Renames in all files at once, or in none. @throws SynapseError `conflict` if a file is not as it was */
export async function applyRename({ files, name, to }: RenamePlan, workspace: Workspace): Promise<FoundPlace[]> {
  const paths = files.map(({ source }) => source.path);
  return await workspace.change(paths, async (scope) => {
    for (const { source, replacements } of files) {
      const { path, text, encoding, version } = source;
      const file = scope.openReadable(path);
      const bytes = file === undefined ? undefined : await file.read(0, file.size);
      if (bytes === undefined || contentVersion(bytes) !== version) {
        throw new SynapseError('conflict', `${path} was changed while ${name} was to be renamed to ${to}; nothing was changed.`, {
          hint: 'Repeat the call: it looks at the files again.',
          retryable: true,
        });
      }
      const changed = spliceBytes(bytes, text, encoding, replacements);
      assertEditableSize(path, changed.length, true);
      scope.write(path, changed);
    }
    return files.flatMap(({ source, replacements, newText }) => {
      const lines = linesOf(newText);
      return replacements.map(({ start }) => {
        const line = lineAt(source.text, start);
        return { path: source.path, line, text: shownLine(lines, line) };
      });
    });
  });
}
