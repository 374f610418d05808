import { useState } from 'preact/hooks';
import { line } from '../link/line.ts';
import { useAction } from '../parts/use-action.ts';
import { useRequest } from '../link/use-request.ts';
import { Empty, Failure, Loading } from '../parts/note.tsx';
import { Section } from '../parts/section.tsx';
import { useStore } from '../state/store.ts';
import { ProjectRow } from './project-row.tsx';

function AnotherBrowser() {
  const [url, setUrl] = useState('');
  const action = useAction();
  return (
    <>
      <p class="muted">A link signs one browser of this machine in, once, within ten minutes.</p>
      <div class="actions">
        <button
          type="button"
          class="button"
          disabled={action.busy}
          onClick={() => void action.run(async () => setUrl((await line.request('access.link', {})).url))}
        >
          Make a link
        </button>
        {url !== '' && (
          <label class="grow">
            <span class="visually-hidden">Link</span>
            <input type="text" class="mono" readOnly value={url} onFocus={({ currentTarget }) => currentTarget.select()} />
          </label>
        )}
      </div>
      <Failure error={action.error} />
    </>
  );
}

/** The tracked projects. */
export function ProjectsView() {
  const stale = useStore((state) => state.stale.projects);
  const project = useStore((state) => state.project);
  const { value, error, reload } = useRequest('projects.list', {}, `${stale} ${project}`);
  return (
    <div class="column">
      {value === undefined && error === undefined && <Loading />}
      <Failure error={error} onRetry={reload} />
      {value?.length === 0 && <Empty title="No projects">synapse projects add tracks a folder.</Empty>}
      <ul class="card-list">
        {value?.map((one) => (
          <ProjectRow key={one.root} project={one} />
        ))}
      </ul>
      <Section level={2} title="Another browser">
        <AnotherBrowser />
      </Section>
    </div>
  );
}
