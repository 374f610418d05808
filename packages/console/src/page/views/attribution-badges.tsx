import type { ConsoleAttribution } from '@synapse/protocol/console';
import { useState } from 'preact/hooks';
import { hrefOf } from '../link/places.ts';
import { useRequest } from '../link/use-request.ts';
import { Code } from '../parts/code.tsx';
import { clock, count, visible } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { Failure, Loading } from '../parts/note.tsx';

type Chosen = { readonly path: string } | { readonly tool: string };

/** The calls behind a claim, and the file itself. */
function Behind({ chosen, session }: { readonly chosen: Chosen; readonly session: string }) {
  const calls = useRequest('calls.find', { session, ...('path' in chosen ? { path: chosen.path } : { tool: chosen.tool }) });
  return (
    <div class="behind card">
      <h4>{visible('path' in chosen ? chosen.path : chosen.tool)}</h4>
      {calls.value === undefined && calls.error === undefined && <Loading />}
      <Failure error={calls.error} />
      {calls.value?.length === 0 && <p class="muted">No call of this run supports it.</p>}
      <ul class="plain-list">
        {calls.value?.map((call) => (
          <li key={call.n}>
            <a href={hrefOf('calls', call.id)}>
              {visible(call.tool)} <span class="muted">{`${visible(call.args)} · ${clock(call.time)}`}</span>
            </a>
          </li>
        ))}
      </ul>
      {'path' in chosen && <FileNow path={chosen.path} />}
    </div>
  );
}

function FileNow({ path }: { readonly path: string }) {
  const { value, error } = useRequest('files.read', { path });
  return (
    <>
      <Failure error={error} />
      {value !== undefined && <Code text={value.text} label={`${path} as it is now`} />}
    </>
  );
}

/** The sources of a report. Each badge shows the file or the calls behind it; claims without a call are marked. */
export function AttributionBadges({
  attribution: { files, tools, confidence },
  session,
}: {
  readonly attribution: ConsoleAttribution;
  readonly session: string;
}) {
  const [chosen, setChosen] = useState<Chosen>();
  const toggle = (next: Chosen): void => setChosen(JSON.stringify(next) === JSON.stringify(chosen) ? undefined : next);
  const isChosen = (one: Chosen): boolean => JSON.stringify(one) === JSON.stringify(chosen);
  return (
    <section class="attribution" aria-label="Based on">
      <p class="muted">{`Based on ${count(files.length, 'file')} · confidence ${visible(confidence)}`}</p>
      <ul class="badges">
        {files.map(({ path, read }) => (
          <li key={`file ${path}`}>
            <button type="button" class={read ? 'source' : 'source source-bad'} aria-expanded={isChosen({ path })} onClick={() => toggle({ path })}>
              <Icon name="file" />
              {visible(path)}
              {!read && <span> · no call read it</span>}
            </button>
          </li>
        ))}
        {tools.map(({ tool, calls, made }) => (
          <li key={`tool ${tool}`}>
            <button type="button" class={made ? 'source' : 'source source-bad'} aria-expanded={isChosen({ tool })} onClick={() => toggle({ tool })}>
              {`${visible(tool)} × ${calls}`}
              {!made && <span> · not called</span>}
            </button>
          </li>
        ))}
      </ul>
      {chosen !== undefined && <Behind key={JSON.stringify(chosen)} chosen={chosen} session={session} />}
    </section>
  );
}
