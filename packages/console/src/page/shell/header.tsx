import { line } from '../link/line.ts';
import type { ViewName } from '../link/places.ts';
import { useRequest } from '../link/use-request.ts';
import type { LinkStatus } from '../state/state.ts';
import { useStore } from '../state/store.ts';
import { NotifyButton } from '../notices/notify-button.tsx';
import { SearchBox } from '../search/search-box.tsx';
import { visible } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { TITLES } from './sidebar.tsx';

const LINKS: Readonly<Record<LinkStatus, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  offline: 'Reconnecting',
  'signed-out': 'Signed out',
};

const nameOf = (root: string): string => visible(root.split('/').at(-1) ?? root);

function ProjectSwitch() {
  const project = useStore((state) => state.project);
  const stale = useStore((state) => state.stale.projects);
  const { value = [] } = useRequest('projects.list', {}, stale);
  const there = value.filter(({ exists }) => exists);
  const listed = there.some(({ root }) => root === project) || project === '' ? there : [...there, { root: project }];
  return (
    <label class="project">
      <span class="visually-hidden">Project</span>
      <select value={project} title={project} onChange={({ currentTarget }) => line.choose(currentTarget.value)}>
        {listed.map(({ root }) => (
          <option key={root} value={root}>
            {nameOf(root)}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Header({ view, menu, onMenu }: { readonly view: ViewName; readonly menu: boolean; readonly onMenu: () => void }) {
  const link = useStore((state) => state.link);
  return (
    <header class="header">
      <button type="button" class="button icon-button menu-button" aria-label="Menu" aria-expanded={menu} aria-controls="menu" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <h1>{TITLES[view]}</h1>
      <span class={`link link-${link}`} role="status">
        <span class="dot" aria-hidden="true" />
        {LINKS[link]}
      </span>
      <SearchBox />
      <NotifyButton />
      <ProjectSwitch />
    </header>
  );
}
