import { useEffect, useRef } from 'preact/hooks';
import { hrefOf, VIEWS, type ViewName } from '../link/places.ts';
import { useStore } from '../state/store.ts';
import { Icon } from '../parts/icon.tsx';
import { Logo } from '../parts/logo.tsx';

export const TITLES: Readonly<Record<ViewName, string>> = {
  calls: 'Calls',
  approvals: 'Approvals',
  jobs: 'Jobs',
  runs: 'Runs',
  tools: 'Tools',
  changes: 'Changes',
  branches: 'Branches',
  policy: 'Policy',
  connections: 'Connections',
  projects: 'Projects',
};

/** The navigation. On a narrow page it overlays the view. */
export function Sidebar({ current, open, onClose }: { readonly current: ViewName; readonly open: boolean; readonly onClose: () => void }) {
  const approvals = useStore((state) => state.approvals.length);
  const jobs = useStore((state) => state.jobs.filter(({ status }) => status !== 'ended').length);
  const runs = useStore((state) => state.runs.filter(({ status }) => status === 'running' || status === 'held').length);
  const version = useStore((state) => state.version);
  const counts: Partial<Record<ViewName, number>> = { approvals, jobs, runs };
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (open) box.current?.querySelector('a')?.focus();
  }, [open]);
  return (
    <>
      {open && <div class="scrim" onClick={onClose} />}
      <nav
        ref={box}
        id="menu"
        class={open ? 'sidebar open' : 'sidebar'}
        aria-label="Views"
        onKeyDown={({ key }) => (key === 'Escape' ? onClose() : undefined)}
      >
        <p class="brand">
          <Logo />
          Synapse
        </p>
        <ul>
          {VIEWS.map((name) => (
            <li key={name}>
              <a href={hrefOf(name)} aria-current={name === current ? 'page' : undefined} onClick={onClose}>
                <Icon name={name} />
                <span>{TITLES[name]}</span>
                {(counts[name] ?? 0) > 0 && <span class={name === 'approvals' ? 'count count-urgent' : 'count'}>{counts[name]}</span>}
              </a>
            </li>
          ))}
        </ul>
        <p class="version muted">{version === '' ? '' : `Version ${version}`}</p>
      </nav>
    </>
  );
}
