import { loadPath, type Image, type Step } from '../journal/step.ts';
import { displayPath } from '../workspace/byte-name.ts';

/** Without both, nothing can be put into a folder, or taken out of it. */
const USABLE = 0o300;
const OPEN = 0o700;

type SetStep = Extract<Step, { kind: 'set' }>;
type Folder = Extract<Image, { type: 'folder' }>;

function isClosed(image: Image | null | undefined): image is Folder & { mode: number } {
  return image?.type === 'folder' && image.mode !== null && (image.mode & USABLE) !== USABLE;
}

const opened = (folder: Folder & { mode: number }): Folder => ({ ...folder, mode: folder.mode | OPEN });

/**
 * Orders steps so that whoever is not root can do them: a folder is closed, as those of a module cache are, once all that is
 * to be in it is there, and is opened before it is emptied. Backwards the steps do the same.
 *
 * @param folderAt what the workspace has for a folder that is itself not changed
 */
export function withOpenFolders(steps: readonly Step[], folderAt: (path: SetStep['path']) => Image | null): Step[] {
  const opening: SetStep[] = [];
  const closing: SetStep[] = [];
  const known = new Set(steps.flatMap((step) => (step.kind === 'set' ? [displayPath(loadPath(step.path))] : [])));
  const between = steps.flatMap((step): Step[] => {
    if (step.kind === 'move') return [step];
    const { path } = step;
    const parent = path.slice(0, -1);
    const shown = displayPath(loadPath(parent));
    if (parent.length > 0 && !known.has(shown)) {
      known.add(shown);
      const folder = folderAt(parent);
      if (isClosed(folder)) {
        opening.push({ kind: 'set', path: parent, before: folder, after: opened(folder) });
        closing.push({ kind: 'set', path: parent, before: opened(folder), after: folder });
      }
    }
    let { before, after } = step;
    if (isClosed(before) && (after?.type !== 'folder' || isClosed(after))) {
      opening.push({ kind: 'set', path, before, after: opened(before) });
      before = opened(before);
    }
    if (isClosed(after)) {
      closing.push({ kind: 'set', path, before: opened(after), after });
      after = opened(after);
    }
    return [{ ...step, before, after }];
  });
  // Nothing below a closed folder can be reached.
  opening.sort((a, b) => a.path.length - b.path.length);
  closing.sort((a, b) => b.path.length - a.path.length);
  return [...opening, ...between, ...closing];
}
