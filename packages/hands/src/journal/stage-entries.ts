import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { TreeCopy } from '../workspace/copy-tree.ts';
import { isRunning, temporaryOwner } from '../workspace/process-identity.ts';
import { removeByHandle, removeTree } from '../workspace/remove-tree.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { namesIn } from '../workspace/list-entries.ts';
import { copyName, slotName, StageFolder } from './stage-folder.ts';
import { type Image, inodeIn, inodeOf, isSwap, loadPath, type Step, type Swap, type SwapStep } from '../workspace/changes/step.ts';
import { isIt, look, placesIn, renameEntry, type SwapPowers } from './swap-entry.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import { isSynapseError } from '@synapse/protocol';
import type { StagedSteps } from '../workspace/changes/capture.ts';

/** Linux `O_PATH`, which Node does not define. */
const O_PATH = 0o10000000;
/** The name of a staged entry. It identifies the area and the slot. */
const SLOT = /^(?<area>area-[\w-]+)\.(?<slot>\d+)$/u;
const SIDES = ['old', 'new'] as const;

const otherSide = (side: Swap['keep']): Swap['keep'] => (side === 'old' ? 'new' : 'old');

/** Whether the areas are on another file system than the workspace, or in another mount of it, so that renames between them are impossible. */
export function isAcross(areas: string, { root }: Pick<Confinement, 'root'>): boolean {
  if (lstatSync(areas, { throwIfNoEntry: false })?.dev !== statSync(root).dev) return true;
  return mountOf(areas) !== mountOf(root);
}

/** The number of the mount in which a folder is; undefined where the system does not tell. */
function mountOf(folder: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const fd = openSync(folder, O_PATH | constants.O_DIRECTORY);
  try {
    return /^mnt_id:\s*(?<id>\d+)$/mu.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.groups?.['id'];
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/**
 * Copies new entries to the file system of the workspace if the areas are on another one, so that all exchanges are
 * renames. Otherwise returns the steps unchanged.
 */
export async function stageEntries(powers: SwapPowers, steps: readonly Step[], signal: AbortSignal): Promise<StagedSteps> {
  if (!steps.some(isSwap) || !isAcross(powers.areas, powers.confinement)) return { steps, settle: () => Promise.resolve() };
  const stage = StageFolder.make(powers.confinement);
  try {
    const copy = new TreeCopy(stage.links, signal);
    const staged: Step[] = [];
    for (const step of steps) staged.push(isSwap(step) ? await stageOne(powers, step, stage, copy) : step);
    return { steps: staged, settle: () => settleStage(powers, stage, staged.filter(isSwap), signal) };
  } catch (error) {
    await settleStage(powers, stage, [], signal);
    throw error;
  }
}

async function stageOne(powers: SwapPowers, step: SwapStep, stage: StageFolder, copy: TreeCopy): Promise<SwapStep> {
  const swap = { ...step.swap, stage: stage.name };
  if (step.before?.type === 'folder') await copyUnmovable(powers, { ...step, swap }, stage, copy);
  if (step.after === null) return { ...step, swap };
  const side = otherSide(swap.keep);
  const from = placesIn(powers, step, side).findIndex((place) => isIt(powers, inodeIn(step.after), look(place)));
  // The exchange detects and reports the missing entry.
  if (from === -1) return { ...step, swap };
  const inUpper = existsSync(join(powers.areas, swap.area, 'upper')) && side === 'new' && from === 0;
  using cursor = new TreeCursor(join(powers.areas, swap.area, inUpper ? 'upper' : side), { owned: true });
  const path = inUpper ? loadPath(step.path) : [String(swap.slot)];
  for (const name of path.slice(0, -1)) cursor.enter(name);
  const name = path.at(-1) ?? '';
  await copy.copy({ folder: cursor.self, name }, { folder: stage.side(side).self, name: slotName(swap) });
  const [original, made] = [cursor.stat(name), look(stage.at(side, swap))];
  if (original === undefined || made === undefined) return { ...step, swap };
  // From now on, the copy identifies an entry that a command made. For a restored entry the inode map does.
  if (inUpper) return { ...step, swap, after: { ...knownBy(step.after, made), inode: inodeOf(made) } };
  powers.inodeMap.follow(inodeOf(original), inodeOf(made));
  return { ...step, swap };
}

/** Copies a folder that leaves the workspace if it cannot be renamed. */
async function copyUnmovable({ confinement }: SwapPowers, { path, swap }: SwapStep, stage: StageFolder, copy: TreeCopy): Promise<void> {
  const location = loadPath(path);
  const name = location.at(-1) ?? '';
  using parent = openParent(confinement, location.slice(0, -1));
  if (parent === undefined || look(parent.at(name))?.isDirectory() !== true || stage.canMove(parent.at(name))) return;
  await copy.copy({ folder: parent.self, name }, { folder: stage.side(swap.keep).self, name: copyName(swap) });
}

/** Opens a folder; undefined if it is gone, which the exchange detects and reports. */
function openParent(confinement: Confinement, location: WorkspacePath): PinnedDirectory | undefined {
  try {
    return confinement.openDirectory(location);
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}

function knownBy(image: Image, { mtimeNs }: { readonly mtimeNs: bigint }): Exclude<Image, { type: 'other' }> {
  if (image.type === 'other' || image.whole === undefined) throw new TypeError('An exchange without its entry.');
  return { ...image, whole: { ...image.whole, modified: String(mtimeNs) } };
}

/** Moves staged entries to the areas if they are missing there, removes area copies of entries now in the workspace, and removes the stage. */
async function settleStage(powers: SwapPowers, stage: StageFolder, steps: readonly SwapStep[], signal: AbortSignal): Promise<void> {
  using _ = stage;
  const known = new Map(steps.map((step) => [slotName(step.swap), step]));
  for (const step of steps) {
    const side = otherSide(step.swap.keep);
    if (step.after !== null && look(stage.at(side, step.swap)) === undefined) await letGo(powers, step, side);
  }
  for (const side of SIDES) {
    for (const name of namesIn(stage.side(side)).map(String)) {
      const step = known.get(name);
      // An entry that a command made is still in the upper folder.
      if (side === 'new' && (step === undefined ? hasUpper(powers, name) : isInUpper(powers, step))) continue;
      await keep(powers, stage, side, name, signal);
    }
  }
  using root = powers.confinement.openDirectory([]);
  await removeByHandle(root.self, stage.name);
}

const hasUpper = ({ areas }: SwapPowers, name: string): boolean => existsSync(join(areas, SLOT.exec(name)?.groups?.['area'] ?? '', 'upper'));

function isInUpper(powers: SwapPowers, step: SwapStep): boolean {
  const [first, slot] = placesIn(powers, step, 'new');
  return slot !== undefined && look(first) !== undefined;
}

/** Removes an entry from the area, because it is in the workspace now. */
async function letGo({ areas }: SwapPowers, step: SwapStep, side: Swap['keep']): Promise<void> {
  const area = join(areas, step.swap.area);
  await removeTree(join(area, side, String(step.swap.slot)));
  if (side === 'old' || !existsSync(join(area, 'upper'))) return;
  using cursor = new TreeCursor(join(area, 'upper'), { owned: true });
  const path = loadPath(step.path);
  const name = path.at(-1) ?? '';
  for (const part of path.slice(0, -1)) cursor.enter(part);
  if (cursor.stat(name)?.isDirectory() === true) await removeByHandle(cursor.self, name);
  else rmSync(cursor.at(name), { force: true });
}

/** Copies an entry to its area atomically. */
async function keep({ areas, inodeMap }: SwapPowers, stage: StageFolder, side: Swap['keep'], name: string, signal: AbortSignal): Promise<void> {
  const { area, slot } = SLOT.exec(name)?.groups ?? {};
  const staged = look(stage.side(side).at(name));
  if (area === undefined || slot === undefined || staged === undefined || !existsSync(join(areas, area))) return;
  const folder = join(areas, area, side);
  const place = join(folder, slot);
  if (look(place) === undefined) {
    const [part, links] = [join(areas, area, 'part'), join(areas, area, 'links')];
    for (const path of [part, links]) await removeTree(path);
    mkdirSync(folder, { recursive: true });
    await new TreeCopy(links, signal).copy({ folder: stage.side(side).self, name }, { folder: join(areas, area), name: 'part' });
    await removeTree(links);
    if (look(part) === undefined) return;
    inodeMap.follow(inodeOf(staged), inodeOf(lstatSync(part, { bigint: true })));
    renameEntry(part, place);
  } else inodeMap.follow(inodeOf(staged), inodeOf(lstatSync(place, { bigint: true })));
}

/** Settles the stages of killed processes. Their changes must have been settled before. */
export async function settleAbandoned(powers: SwapPowers, stepsOf: (stage: string) => readonly Step[], signal: AbortSignal): Promise<void> {
  using root = powers.confinement.openDirectory([]);
  for (const name of namesIn(root)) {
    const owner = temporaryOwner(name);
    if (owner === undefined || isRunning(owner) !== false || look(root.at(name))?.isDirectory() !== true) continue;
    const stage = StageFolder.open(powers.confinement, String(name));
    // The stage is incomplete, so nothing has passed through it.
    if (stage === undefined) await removeByHandle(root.self, name);
    else await settleStage(powers, stage, stepsOf(stage.name).filter(isSwap), signal);
  }
}
