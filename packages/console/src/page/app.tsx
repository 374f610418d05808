import { useEffect, useRef, useState } from 'preact/hooks';
import type { ViewName } from './link/places.ts';
import { useRoute } from './link/route.ts';
import { Header } from './shell/header.tsx';
import { Announcer } from './parts/announcer.tsx';
import { useNotices } from './notices/use-notices.ts';
import { Sidebar } from './shell/sidebar.tsx';
import { SignedOut } from './shell/signed-out.tsx';
import { useStore } from './state/store.ts';
import { ApprovalsView } from './views/approvals-view.tsx';
import { BranchesView } from './views/branches-view.tsx';
import { CallsView } from './views/calls-view.tsx';
import { ChangesView } from './views/changes-view.tsx';
import { ConnectionsView } from './views/connections-view.tsx';
import { JobsView } from './views/jobs-view.tsx';
import { PolicyView } from './views/policy-view.tsx';
import { ProjectsView } from './views/projects-view.tsx';
import { RunsView } from './views/runs-view.tsx';
import { ToolsView } from './views/tools-view.tsx';

const SHOWN: Readonly<Record<ViewName, (props: { readonly id: string | undefined }) => preact.JSX.Element>> = {
  calls: CallsView,
  approvals: ApprovalsView,
  jobs: JobsView,
  runs: RunsView,
  tools: ToolsView,
  changes: ChangesView,
  branches: BranchesView,
  policy: PolicyView,
  connections: ConnectionsView,
  projects: ProjectsView,
};

export function App() {
  const link = useStore((state) => state.link);
  const problem = useStore((state) => state.problem);
  const { view, id } = useRoute();
  useNotices();
  const [menu, setMenu] = useState(false);
  const main = useRef<HTMLElement>(null);
  const seen = useRef(view);
  useEffect(() => {
    setMenu(false);
    // Move the focus to the chosen view.
    if (seen.current !== view && main.current?.contains(document.activeElement) !== true) main.current?.focus();
    seen.current = view;
  }, [view]);
  if (link === 'signed-out') return <SignedOut />;
  const View = SHOWN[view];
  return (
    <div class="shell">
      <Sidebar current={view} open={menu} onClose={() => setMenu(false)} />
      <div class="page">
        <Header view={view} menu={menu} onMenu={() => setMenu(!menu)} />
        <main ref={main} tabIndex={-1}>
          {problem === undefined ? <View id={id} /> : <p class="note note-bad">{problem}</p>}
        </main>
      </div>
      <Announcer />
    </div>
  );
}
