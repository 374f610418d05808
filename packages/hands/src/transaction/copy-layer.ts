import { chmodSync, existsSync, mkdirSync, unlinkSync } from 'node:fs';
import type { TreeCopy } from '../workspace/copy-tree.ts';
import { removeByHandle } from '../workspace/remove-tree.ts';
import { TreeCursor, turns } from '../workspace/tree-cursor.ts';
import type { Name } from '../workspace/byte-name.ts';
import type { AttributeWorker } from './attribute-worker.ts';
import { isWhiteout } from './change-entry.ts';
import { opaqueMarks } from './exact-attributes.ts';

interface CopyLayerParts {
  /** The layer, or a link to it. Missing if there is none. */
  readonly from: string;
  /** A folder that only Synapse uses. */
  readonly to: string;
  readonly copy: TreeCopy;
  readonly attributes: AttributeWorker;
  readonly signal: AbortSignal;
}

const PERMISSIONS = 0o7777n;

/** Makes a folder look as if an upper layer were mounted above it. */
export async function copyLayer({ from, to, copy, attributes, signal }: CopyLayerParts): Promise<void> {
  if (!existsSync(from)) return;
  const marks = opaqueMarks(attributes);
  const rest = turns(signal);
  using layer = new TreeCursor(from, { owned: true });
  using folder = new TreeCursor(to, { owned: true });
  const frames: Name[][] = [layer.names()];
  for (let names = frames.at(-1); names !== undefined; names = frames.at(-1)) {
    await rest();
    const name = names.pop();
    if (name === undefined) {
      frames.pop();
      if (frames.length === 0) break;
      layer.leave();
      folder.leave();
      continue;
    }
    const [now, old] = [layer.stat(name), folder.stat(name)];
    if (now === undefined) continue;
    const wasFolder = old?.isDirectory() === true;
    const isKept = now.isDirectory() && wasFolder && (await marks.has(from, [...layer.location, name], signal)) === false;
    if (old !== undefined && !isKept) {
      if (wasFolder) await removeByHandle(folder.self, name);
      else unlinkSync(folder.at(name));
    }
    if (isWhiteout(now)) continue;
    if (!now.isDirectory()) {
      await copy.copy({ folder: layer.self, name }, { folder: folder.self, name });
      continue;
    }
    if (!isKept) {
      mkdirSync(folder.at(name), { mode: 0o700 });
      chmodSync(folder.at(name), Number(now.mode & PERMISSIONS));
    }
    layer.enter(name);
    folder.enter(name);
    frames.push(layer.names());
  }
}
