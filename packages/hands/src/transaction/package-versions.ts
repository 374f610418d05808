import type { PackageManager } from '../meaning/package-files.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { ChangeViews } from './overlay-view.ts';

/** Maximum bytes of a file with a version. The largest ones of npm have some tens of kilobytes. */
const MAX_BYTES = 256 * 1024;

function versionIn(text: string | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string' ? value.version : undefined;
  } catch {
    // Half written, or no JSON: no version is known, so nothing counts as an update.
    return undefined;
  }
}

interface Versions {
  readonly before: string | undefined;
  readonly now: string | undefined;
}

/** The versions of installed packages, before and after a command, as the packages themselves say. */
export class PackageVersions {
  readonly #views: Pick<ChangeViews, 'before' | 'after'>;
  readonly #manager: PackageManager | undefined;
  readonly #known = new Map<string, Versions>();

  constructor(views: Pick<ChangeViews, 'before' | 'after'>, manager: PackageManager | undefined) {
    this.#views = views;
    this.#manager = manager;
  }

  /** Whether the package that contains an entry was there and has another version now. */
  isUpdated(location: WorkspacePath): boolean {
    const { before, now } = this.#of(location) ?? {};
    return before !== undefined && now !== undefined && before !== now;
  }

  /**
   * Whether an entry of a folder in place of another must be as it was: that of a package that was there and has no other version, and a
   * file outside of packages that a package manager does not write for itself.
   *
   * @param top the outermost folder of packages. Where packages cannot be told apart, what replaces all of it is new.
   */
  mustStay(
    location: WorkspacePath,
    { isLink, replaced, top }: { readonly isLink: boolean; readonly replaced: string; readonly top: string },
  ): boolean {
    const { owner, records } = this.#manager ?? {};
    if (owner === undefined) return replaced !== top;
    const found = this.#of(location);
    if (found === undefined) return !isLink && records?.test(displayPath(location)) !== true;
    return found.before === undefined ? found.now === undefined : found.now === undefined || found.before === found.now;
  }

  #of(location: WorkspacePath): Versions | undefined {
    const owner = this.#manager?.owner?.exec(displayPath(location))?.[0];
    const name = this.#manager?.versionIn;
    if (owner === undefined || name === undefined) return undefined;
    const known = this.#known.get(owner);
    if (known !== undefined) return known;
    const path = `${bytePath(location.slice(0, owner.split('/').length))}/${name}`;
    const versions = { before: versionIn(this.#views.before.readText(path, MAX_BYTES)), now: versionIn(this.#views.after.readText(path, MAX_BYTES)) };
    this.#known.set(owner, versions);
    return versions;
  }
}
