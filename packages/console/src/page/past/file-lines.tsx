import type { ConsoleBlamedLine } from '@synapse/protocol/console';
import { hrefOf } from '../link/places.ts';
import { go } from '../link/route.ts';
import { useRequest } from '../link/use-request.ts';
import { clock, count, visible } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { Failure, Loading } from '../parts/note.tsx';
import { useStore } from '../state/store.ts';

const WRITERS: Readonly<Record<ConsoleBlamedLine['by'], string>> = {
  hands: 'a call',
  'person-or-other': 'person or other',
  before: 'before Synapse',
  unknown: 'not known',
};

/** Maximum number of lines to render. */
const MAX_SHOWN = 3_000;

function Writer({ line: { by, tool, call, time, approver, formattedBy } }: { readonly line: ConsoleBlamedLine }) {
  if (by !== 'hands' || call === undefined) return <span class="muted">{WRITERS[by]}</span>;
  const facts = [time === undefined ? [] : clock(Date.parse(time)), approver === undefined ? [] : `approved by ${approver}`].flat().join(', ');
  return (
    <a href={hrefOf('calls', call)} title={visible(facts)}>
      {visible(formattedBy === undefined ? (tool ?? 'a call') : `${tool ?? 'a call'}, formatted by ${formattedBy}`)}
    </a>
  );
}

/** A file as it is, with who wrote each line. The writer is named where it differs from that of the line above. */
export function FileLines({ path }: { readonly path: string }) {
  const stale = useStore((state) => state.stale.changes);
  const { value, error, reload } = useRequest('past.lines', { path }, stale);
  const lines = value?.lines.slice(0, MAX_SHOWN) ?? [];
  const more = (value?.more ?? 0) + (value?.lines.length ?? 0) - lines.length;
  return (
    <>
      <div class="panel-head inline">
        <button type="button" class="button icon-button" aria-label="Back" onClick={() => go('changes')}>
          <Icon name="back" />
        </button>
        <h2 class="ellipsis">{visible(path)}</h2>
      </div>
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value !== undefined && (
        <div class="table-box" role="region" tabIndex={0} aria-label="Lines">
          <table class="file-lines">
            <thead class="visually-hidden">
              <tr>
                <th scope="col">Line</th>
                <th scope="col">Writer</th>
                <th scope="col">Text</th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line, at) => {
                const above = lines[at - 1];
                const isSame = above?.by === line.by && above.call === line.call && above.formattedBy === line.formattedBy;
                return (
                  <tr key={line.line} class={isSame ? undefined : 'file-lines-first'}>
                    <td class="muted">{line.line}</td>
                    <td>{isSame ? <span class="visually-hidden">the same</span> : <Writer line={line} />}</td>
                    <td>
                      <code>{visible(line.text)}</code>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {more > 0 && <p class="muted">{`${count(more, 'more line')} ${more === 1 ? 'is' : 'are'} not shown: synapse blame`}</p>}
    </>
  );
}
