import type { ConsoleSessionChanges } from '@synapse/protocol/console';
import { Changes } from '../diff/diff.tsx';
import { hrefOf } from '../link/places.ts';
import { go } from '../link/route.ts';
import { useRequest } from '../link/use-request.ts';
import { clock, count, visible } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { Empty, Failure, Loading } from '../parts/note.tsx';
import { useStore } from '../state/store.ts';
import { FileLines } from '../past/file-lines.tsx';
import { SessionHistory } from '../past/session-history.tsx';
import { UndoBox } from './undo-box.tsx';

type Selection = { readonly call: string } | { readonly session: string };

const CALL = 'call:';
const FILE = 'file:';
/** Characters of an id that distinguish it. */
const SHORT_ID = 12;

/** Parses the selection in an address: `call:<id>`, or a session. */
function selectionOf(id: string): Selection {
  return id.startsWith(CALL) ? { call: id.slice(CALL.length) } : { session: id };
}

/** Maximum number of files that name a session. */
const NAMED = 3;

/** What a session is about: its task, or else the files that it changed. */
function nameOf({ session, title, paths }: ConsoleSessionChanges): string {
  if (title !== undefined) return title;
  const files = [...paths.slice(0, NAMED), ...(paths.length > NAMED ? [`${paths.length - NAMED} more`] : [])].join(', ');
  return session === null ? `${files} (calls without a session)` : files;
}

function SessionRow(changes: ConsoleSessionChanges) {
  const { session, calls, time } = changes;
  const name = nameOf(changes);
  const facts = (
    <span class="row-facts muted">
      {`${count(calls, 'call')} · ${clock(time)}`}
      {session !== null && <code>{visible(session.slice(0, SHORT_ID))}</code>}
    </span>
  );
  return (
    <li>
      {session === null ? (
        <div class="card-row">
          <span class="strong">{name}</span>
          {facts}
        </div>
      ) : (
        <a class="card-row" href={hrefOf('changes', session)}>
          <span class="strong ellipsis">{visible(name)}</span>
          {facts}
        </a>
      )}
    </li>
  );
}

function Selected({ id, name }: { readonly id: string; readonly name: string | undefined }) {
  const selection = selectionOf(id);
  const stale = useStore((state) => state.stale.changes);
  const { value, error, reload } = useRequest('changes.list', selection, stale);
  return (
    <>
      <div class="panel-head inline">
        <button type="button" class="button icon-button" aria-label="Back" onClick={() => go('changes')}>
          <Icon name="back" />
        </button>
        <h2 class="ellipsis">{visible('call' in selection ? `Call ${selection.call}` : (name ?? `Session ${selection.session}`))}</h2>
      </div>
      <UndoBox selection={selection} stale={stale} />
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value?.length === 0 && <Empty title="Nothing is left to undo">Everything that this changed was undone, or it changed nothing.</Empty>}
      {value !== undefined && <Changes changes={value} />}
      {'session' in selection && <SessionHistory session={selection.session} />}
    </>
  );
}

/** Sessions with changes, and their changes. */
export function SessionsTab({ id }: { readonly id: string | undefined }) {
  const stale = useStore((state) => state.stale.changes);
  const calls = useStore((state) => state.calls.length);
  const { value, error, reload } = useRequest('changes.sessions', {}, `${stale} ${calls}`);
  const opened = value?.find(({ session }) => session === id);
  if (id?.startsWith(FILE) === true) return <FileLines key={id} path={id.slice(FILE.length)} />;
  if (id !== undefined) return <Selected key={id} id={id} name={opened === undefined ? undefined : nameOf(opened)} />;
  return (
    <>
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value?.length === 0 && <Empty title="No changes yet">What calls change in files appears here, and can be undone.</Empty>}
      <ul class="card-list">
        {value?.map((session) => (
          <SessionRow key={session.session} {...session} />
        ))}
      </ul>
    </>
  );
}
