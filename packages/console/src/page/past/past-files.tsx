import { useState } from 'preact/hooks';
import { hrefOf } from '../link/places.ts';
import { useRequest } from '../link/use-request.ts';
import { Code } from '../parts/code.tsx';
import { count, size, visible } from '../parts/format.ts';
import { Failure, Loading } from '../parts/note.tsx';

/** Right before or after a call. */
export interface Moment {
  readonly call: string;
  readonly side: 'before' | 'after';
}

const CHANGED = 'Something else than a call changed it since. This is how it is now.';

/** The folders around a place, the workspace first. */
function foldersOf(path: string): ReadonlyArray<readonly [path: string, name: string]> {
  const names = path === '.' ? [] : path.split('/');
  return [['.', 'Workspace'], ...names.map((name, at) => [names.slice(0, at + 1).join('/'), name] as const)];
}

function Folder({
  moment,
  path,
  onOpen,
}: {
  readonly moment: Moment;
  readonly path: string;
  readonly onOpen: (path: string, isFile: boolean) => void;
}) {
  const { value, error, reload } = useRequest('past.list', { ...moment, path });
  return (
    <>
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value !== undefined && value.uncovered > 0 && (
        <p class="note note-warn">{`${count(value.uncovered, 'command')} ran live since, and what they changed is shown as it is now.`}</p>
      )}
      {value?.entries.length === 0 && <p class="muted">The folder is empty.</p>}
      <ul class="plain-list past-files">
        {value?.entries.map(({ name, path: full, type, size: bytes, target, changedSince }) => (
          <li key={full}>
            {type === 'other' || type === 'link' ? (
              visible(name)
            ) : (
              <button type="button" class="link-button" onClick={() => onOpen(full, type !== 'directory')}>
                {visible(type === 'directory' ? `${name}/` : name)}
              </button>
            )}
            {target !== undefined && <span class="muted">{` → ${visible(target)}`}</span>}
            {bytes !== undefined && <span class="muted">{` ${size(bytes)}`}</span>}
            {changedSince && <span class="muted"> as it is now</span>}
          </li>
        ))}
      </ul>
      {value !== undefined && value.more > 0 && <p class="muted">{`${count(value.more, 'more entry')} are not shown.`}</p>}
    </>
  );
}

function File({ moment, path }: { readonly moment: Moment; readonly path: string }) {
  const { value, error, reload } = useRequest('past.read', { ...moment, path });
  return (
    <>
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value?.changedSince === true && <p class="note note-warn">{CHANGED}</p>}
      {value?.note !== undefined && <p class="muted">{value.note}</p>}
      <p>
        <a href={hrefOf('changes', `file:${path}`)}>Who wrote each line, as it is now</a>
      </p>
      {value?.text !== undefined && <Code text={value.text} label={visible(path)} />}
    </>
  );
}

/** The files of the workspace at a moment. */
export function PastFiles({ moment }: { readonly moment: Moment }) {
  const [{ path, isFile }, setPlace] = useState({ path: '.', isFile: false });
  const open = (to: string, toFile: boolean): void => setPlace({ path: to, isFile: toFile });
  return (
    <>
      <nav class="past-path" aria-label="Folders">
        {foldersOf(path).map(([place, name]) => (
          <button
            key={place}
            type="button"
            class="link-button"
            aria-current={place === path ? 'location' : undefined}
            onClick={() => open(place, false)}
          >
            {visible(name)}
          </button>
        ))}
      </nav>
      {isFile ? <File moment={moment} path={path} /> : <Folder moment={moment} path={path} onOpen={open} />}
    </>
  );
}
